import { hash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../base/failure.ts";
import { isObject, parseJson, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { createDurable, writeWhole } from "../../files/output.ts";
import { makePrivateFolder, stateEntry } from "../../files/state.ts";
import { readPrivate, removePrivate } from "../../files/private.ts";

/** What an assistant asked to plan. Values of inputs are texts, as on the command line. */
export interface PlanRequest {
  /** The playbook's path from the folder of the server, or its name in the library. */
  readonly playbook: string;
  /** The values of inputs, by their names. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Where the plan was made, by its full name. */
  readonly environment: string;
}

/** The plans that an assistant may run, by their digests: files of the state directory, so that a new server knows them too. */
export class KeptPlans {
  readonly #folder: string;

  /** Opens those of a state directory. Throws a Failure. */
  constructor(stateDirectory: string) {
    this.#folder = stateEntry(stateDirectory, "plans", "create");
    makePrivateFolder(this.#folder);
  }

  /** Keeps a plan, and returns its digest; the oldest go beyond `LIMITS.assistantPlans`. */
  keep(plan: string, request: PlanRequest): string {
    const digest = hash("sha256", plan);
    writeWhole(this.file(digest), [plan]);
    writeWhole(this.#path(digest, "request"), [writeJson({ ...request, inputs: { ...request.inputs } })]);
    const age = (name: string): number => statSync(join(this.#folder, name)).mtimeMs;
    const requests = readdirSync(this.#folder).filter((name) => name.endsWith(".request"));
    const old = requests.toSorted((one, other) => age(other) - age(one)).slice(LIMITS.assistantPlans);
    for (const name of old)
      for (const part of ["plan", "request", "key"] as const) removePrivate(this.#path(name.replace(/\.request$/, ""), part));
    return digest;
  }

  /** The file of a plan, which a person approves. */
  file(digest: string): string {
    return this.#path(digest, "plan");
  }

  /** Returns what was asked for with a plan. Throws a Failure when no plan has this digest. */
  find(digest: string): PlanRequest {
    const text = DIGEST.test(digest) ? readPrivate(this.#path(digest, "request")) : undefined;
    const request = text === undefined ? undefined : parseJson(text.toString("utf8"));
    if (isObject(request)) return request as unknown as PlanRequest;
    throw new Failure({
      code: "mcp.plan-unknown",
      message: "no plan that is kept here has this digest",
      why: "a run does what a plan says, so that a person can know before what it does; nothing was sent",
      next: "call the tool plan, and give the digest that it returns",
    });
  }

  /**
   * Binds a plan to the key of its run, durably, before anything of it is sent (decision 171). Throws a Failure when it is bound to another key: whoever
   * lost an answer and takes a new key must not make a second run.
   */
  bind(digest: string, key: string): void {
    const path = this.#path(digest, "key");
    if (readPrivate(path) === undefined) this.#create(path, key);
    const bound = readPrivate(path)?.toString("utf8") ?? "";
    if (bound === key) return;
    throw new Failure({
      code: "mcp.plan-run",
      message: `this plan was run with the key ${bound === "" ? "of a call that did not end" : bound}`,
      why: "a plan is run once, and its run has one key; nothing was sent",
      next: `call run with that key to see its run, or plan again for another run`,
    });
  }

  #create(path: string, key: string): void {
    try {
      createDurable(path, [key]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process has bound it in between
    }
  }

  #path(digest: string, part: "plan" | "request" | "key"): string {
    return join(this.#folder, `${digest}.${part}`);
  }
}

const DIGEST = /^[0-9a-f]{64}$/;
