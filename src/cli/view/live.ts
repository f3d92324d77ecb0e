import {
  DefaultRenderer,
  Listr,
  ListrEventManager,
  ListrLogger,
  type ListrTaskObject,
  ListrTaskState,
  ProcessOutput,
  Spinner,
} from "listr2";
import { invariant } from "../../base/failure.ts";
import { STEP_WORDS } from "../../report/words.ts";
import type { Terminal } from "../shell.ts";
import { colouredMark } from "./colour.ts";
import { streamOf } from "./stream.ts";
import type { TreeLine } from "./tree.ts";

type Workshop = Listr<unknown, "default", "default">;
type DrawnTask = ListrTaskObject<unknown, typeof DefaultRenderer, typeof DefaultRenderer>;

/** Where a drawing goes. */
export interface DrawingOutput {
  /** The terminal that the tree is drawn on. */
  readonly screen: Terminal;
  /** Whether marks are colored. */
  readonly colour: boolean;
  /** Called once if drawing fails. The runs continue. */
  readonly onCrash: (error: unknown) => void;
}

const INDENT = 2;
// The mark and a space before each title, and the columns that the renderer leaves free at the right.
const MARGIN = 4;

/**
 * Draws a tree ten times a second. The tasks only have titles and are never run, so nothing here handles signals, ends the process, or knows when a run has
 * ended.
 */
export class Drawing {
  readonly #output: DrawingOutput;
  readonly #trees: () => readonly TreeLine[];
  readonly #workshop: Workshop = new Listr([], {
    registerSignalListeners: false,
    silentRendererCondition: true,
    exitOnError: false,
  });
  readonly #tasks = new Map<string, DrawnTask>();
  readonly #lines = new Map<string, Pick<TreeLine, "state">>();
  readonly #roots: DrawnTask[] = [];
  readonly #spinner: Ticker;
  readonly #renderer: TreeRenderer;
  readonly #ready: Promise<void>;
  #isBroken = false;

  constructor(output: DrawingOutput, trees: () => readonly TreeLine[]) {
    this.#output = output;
    this.#trees = trees;
    this.#spinner = new Ticker((draw) => this.#guard(() => this.#tick(draw)));
    const processOutput = new ProcessOutput(streamOf(output.screen), streamOf(output.screen));
    const logger = new ListrLogger<never>({ useIcons: true, toStderr: [], processOutput });
    const options = { logger, spinner: this.#spinner, indentation: INDENT, formatOutput: "truncate" as const, clearOutput: true };
    this.#renderer = new TreeRenderer(this.#roots, options, (task) => this.#mark(task));
    this.#ready = this.#renderer.render().catch((error: unknown) => this.#break(error));
  }

  /** Removes the tree from the screen, and restores the cursor even if drawing has failed. */
  async end(): Promise<void> {
    await this.#ready;
    this.#spinner.stop();
    this.#guard(() => this.#renderer.end());
  }

  #tick(draw: () => void): void {
    this.#roots.splice(0, this.#roots.length, ...this.#trees().map((tree) => this.#show(tree, tree.key, 0)));
    draw();
  }

  #show(line: TreeLine, path: string, level: number): DrawnTask {
    const task = this.#tasks.get(path) ?? this.#newTask(path);
    task.title = line.titleWithin(this.#output.screen.columns - level * INDENT - MARGIN);
    task.subtasks = line.children.map((child) => this.#show(child, `${path}\n${child.key}`, level + 1));
    this.#lines.set(task.id, line);
    return task;
  }

  // No renderer receives the workshop's events, so creating or changing a task does not redraw the tree.
  #newTask(path: string): DrawnTask {
    this.#workshop.add({ title: path, task: () => undefined });
    const task = this.#workshop.tasks.pop();
    invariant(task !== undefined, "what was added is there");
    void enable(task);
    this.#tasks.set(path, task);
    return task;
  }

  #mark(task: DrawnTask): string {
    const { state } = this.#lines.get(task.id) ?? { state: "not-run" };
    const mark = state === "running" ? this.#spinner.fetch() : STEP_WORDS[state].mark;
    return this.#output.colour ? colouredMark(mark, "yellow") : mark;
  }

  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#break(error);
    }
  }

  #break(error: unknown): void {
    this.#spinner.stop();
    if (!this.#isBroken) this.#output.onCrash(error);
    this.#isBroken = true;
  }
}

// The renderer shows a task only after `check` has enabled it, and its subtasks only after it has started.
async function enable(task: DrawnTask): Promise<void> {
  await task.check(undefined);
  task.state = ListrTaskState.STARTED;
}

/** Listr's renderer with our own marks. */
class TreeRenderer extends DefaultRenderer {
  readonly #mark: (task: DrawnTask) => string;

  constructor(tasks: DrawnTask[], options: ConstructorParameters<typeof DefaultRenderer>[1], mark: (task: DrawnTask) => string) {
    super(tasks, options, new ListrEventManager());
    this.#mark = mark;
  }

  protected override style(task: DrawnTask): string {
    return this.#mark(task);
  }
}

/** A spinner that updates the tree on every turn. It never keeps the process alive. */
class Ticker extends Spinner {
  readonly #onTurn: (draw: () => void) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onTurn: (draw: () => void) => void) {
    super();
    this.#onTurn = onTurn;
  }

  override start(draw: () => void = () => undefined, intervalMs = 100): void {
    this.#timer = setInterval(() => {
      this.spin();
      this.#onTurn(draw);
    }, intervalMs);
    this.#timer.unref();
  }

  override isRunning(): boolean {
    return this.#timer !== undefined;
  }

  override stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
