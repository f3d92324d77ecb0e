import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import scheduleSchema from "../../schemas/schedule.schema.json" with { type: "json" };
import { SchemaSet } from "../../src/schema/validator.ts";
import { approvalPlaybook } from "../playbooks.ts";
import { firingsOf, logged, loggedLines, parsedMetrics, reading, recordProperty, schedulesOf, waiting } from "./schedule.ts";
import { environmentAt, KEYS, MINT_ONCE, newProject, operationsOf, type Printed, servedSandbox } from "./world.ts";

const describes = new SchemaSet().validator(scheduleSchema);

describe(`tokenbook schedule`, () => {
  test("two schedulers on one state make one run for each firing", async () => {
    const project = newProject();
    project.serviceAt((await servedSandbox()).url);
    project.write("tokens.yaml", reading());
    const services = [project.start("schedule", "tokens.yaml"), project.start("schedule", "tokens.yaml")];
    await Promise.all(services.map((service) => logged(service, "schedule.begun")));
    await Promise.race(services.map((service) => logged(service, "firing.ended", 3)));
    const ended = await Promise.all(
      services.map(async (service) => {
        await service.signal("SIGTERM");
        return service.ended;
      }),
    );
    for (const { code, transcript } of ended) expect(code, transcript).toBe(0);
    const firings = await firingsOf(project);
    const { runs } = (await project.json("runs", "--limit", "1000")).data;
    expect(firings.length).toBeGreaterThanOrEqual(3);
    expect(firings.filter(({ state }) => state === "passed").length).toBe(runs.length);
    expect(new Set(firings.map(({ tick }) => tick)).size).toBe(firings.length);
    const begun = ended.flatMap(({ lines }) => lines.filter((line) => line.includes('"firing.started"')));
    expect(begun.length).toBe(runs.length);
  });

  test("a scheduler reports that the last scheduler was killed during a run, and continues", async () => {
    const service = await servedSandbox();
    const project = newProject();
    project.serviceAt(service.url);
    project.write("tokens.yaml", waiting());
    const first = project.start("schedule", "tokens.yaml");
    await logged(first, "firing.started");
    await first.signal("SIGKILL");
    await first.ended;
    await recordProperty(service);
    const second = project.start("schedule", "tokens.yaml");
    const [died, passed] = await logged(second, "firing.ended", 2);
    await second.signal("SIGTERM");
    await second.ended;
    expect(died).toMatchObject({ outcome: "died", level: "error", problem: { code: "schedule.died" } });
    expect(passed).toMatchObject({ outcome: "passed", level: "info" });
  });

  test("a scheduler that is stopped waits for its run, and begins no other", async () => {
    const service = await servedSandbox();
    const project = newProject();
    project.serviceAt(service.url);
    project.write("tokens.yaml", waiting());
    const running = project.start("schedule", "tokens.yaml");
    await logged(running, "firing.started");
    await running.signal("SIGTERM");
    await logged(running, "schedule.stopping");
    await recordProperty(service);
    const ended = await running.ended;
    expect(ended.code, ended.transcript).toBe(0);
    const states = (await firingsOf(project)).map(({ state }) => state);
    expect(states[0]).toBe("passed");
    expect(states.slice(1).filter((state) => state !== "skipped")).toEqual([]);
    expect((await project.run("runs")).stdout).toMatch(/ passed /);
  });

  test("a scheduler uses an edited playbook, and fails the firings of a broken one without stopping", async () => {
    const project = newProject();
    project.serviceAt((await servedSandbox()).url);
    project.write("tokens.yaml", reading());
    const running = project.start("schedule", "tokens.yaml");
    await logged(running, "firing.ended");
    project.write("tokens.yaml", reading().replace("ledger.asset.list", "ledger.asset.lst"));
    const [broken] = await loggedLines(running, ({ outcome }) => outcome === "failed");
    expect(broken?.problem?.code).toBe("check.failed");
    expect(broken?.problem?.why).toContain("tokens.yaml:7:11 error playbook.unknown-operation");
    expect(broken?.problem?.why).toContain("did you mean");
    // A firing may read an edited file before the schedule notices the edit.
    await loggedLines(running, ({ message }) => message.includes("its schedule stays, and each firing fails until it can"));
    project.write("tokens.yaml", reading("{ cron: '*/2 * * * * *' }"));
    await loggedLines(running, ({ message }) => message.includes('fires at "*/2 * * * * *" (UTC)'));
    await loggedLines(running, ({ message }) => message.includes("passed again"));
    await running.signal("SIGTERM");
    await running.ended;
  });

  test("a scheduler keeps the environment with which it started, even if tokenbook.yaml is broken later", async () => {
    const project = newProject();
    const here = environmentAt((await servedSandbox()).url);
    const there = here.replace("here:", "there:").replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1");
    project.write("tokenbook.yaml", here);
    project.write("tokens.yaml", reading());
    const running = project.start("schedule", "tokens.yaml");
    await logged(running, "firing.ended");
    project.write("tokenbook.yaml", there + here.replace("environments:\n", ""));
    await logged(running, "firing.ended", 4);
    project.write("tokenbook.yaml", "environments: [\n");
    const [broken] = await loggedLines(running, ({ outcome }) => outcome === "failed");
    expect(broken?.problem?.code).toBe("environment.invalid");
    project.write("tokens.yaml", reading("{ cron: '*/2 * * * * *' }"));
    await loggedLines(running, ({ event }) => event === "playbook.broken" || event === "playbook.edited");
    project.write("tokenbook.yaml", there + here.replace("environments:\n", ""));
    await loggedLines(running, ({ message }) => message.includes("passed again"));
    await running.signal("SIGTERM");
    const { code, transcript } = await running.ended;
    expect(code, transcript).toBe(0);
    const { runs } = (await project.json("runs", "--limit", "1000")).data;
    expect(new Set(runs.map(({ environment }) => environment))).toEqual(new Set(["here"]));
  });

  test("a scheduler uses an edited included playbook, and blocks its next run if the last one now writes and waits", async () => {
    const project = newProject();
    const part = "playbook: 1\nsteps:\n  - { id: all, uses: ledger.asset.stats, as: { ledger: 'userId:alice' } }\n";
    project.serviceAt((await servedSandbox()).url);
    project.write("part.yaml", part);
    project.write("main.yaml", "playbook: 1\nschedule: { cron: '* * * * * *' }\nsteps:\n  - { id: part, uses: ./part.yaml }\n");
    const running = project.start("schedule", "main.yaml");
    await logged(running, "firing.ended");
    project.write("part.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));
    await loggedLines(running, ({ outcome }) => outcome === "blocked");
    await running.signal("SIGTERM");
    await running.ended;
    const states = (await firingsOf(project)).map(({ state }) => state);
    expect(states.filter((state) => state === "pending")).toHaveLength(1);
  });

  test("a scheduler serves its metrics only on this machine, and a new playbook does not overwrite the report of the first", async () => {
    const project = newProject();
    project.serviceAt((await servedSandbox()).url);
    project.write("tokens.yaml", reading());
    const running = project.start("schedule", ".", "--listen", "0", "--report", "json=last.json");
    const [{ url = "" } = {}] = await logged(running, "schedule.listening");
    await logged(running, "firing.ended", 2);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const page = await fetch(`${url}/metrics`);
    expect(page.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const metrics = parsedMetrics(await page.text());
    const labels = '{schedule="tokens.yaml@here"';
    expect(metrics.get(`tokenbook_schedule_firings_total${labels},outcome="passed"}`)).toBeGreaterThanOrEqual(2);
    expect(metrics.get(`tokenbook_schedule_firings_total${labels},outcome="missed"}`)).toBe(0);
    expect(metrics.get(`tokenbook_schedule_run_duration_seconds_count${labels}}`)).toBeGreaterThanOrEqual(2);
    const success = metrics.get(`tokenbook_schedule_last_success_timestamp_seconds${labels}}`) ?? 0;
    expect(metrics.get(`tokenbook_schedule_next_firing_timestamp_seconds${labels}}`)).toBeGreaterThan(success - 2);
    expect(metrics.get("tokenbook_notifications_waiting")).toBe(0);
    const status = async (path: string, method = "GET"): Promise<number> => (await fetch(`${url}${path}`, { method })).status;
    expect(await status("/healthz")).toBe(200);
    expect(await status("/readyz")).toBe(200);
    expect(await status("/")).toBe(404);
    expect(await status("/metrics", "POST")).toBe(405);
    project.write("more.yaml", reading());
    await loggedLines(running, ({ message }) => message.includes("last.json would be overwritten by another playbook"));
    const { reports } = JSON.parse(project.read("last.json")) as Printed;
    expect(reports.map(({ run }) => run.playbook.file)).toEqual(["tokens.yaml"]);
    await running.signal("SIGTERM");
    expect((await running.ended).code).toBe(0);
  });
});

describe("`tokenbook schedule --once`, which the scheduler of the system runs", () => {
  test("a report on stdout is alone there, and {run} gives each run a report of its own", async () => {
    const project = newProject();
    for (const name of ["one.yaml", "two.yaml"]) project.write(name, reading());
    const both = ["--report", "json=-,md=reports/{run}.md,html=all.html"];
    const ended = await project.run("schedule", "--once", "one.yaml", "two.yaml", ...both);
    expect(ended.code, ended.transcript).toBe(0);
    const { reports } = JSON.parse(ended.stdout) as { readonly reports: readonly { readonly run: { readonly id: string } }[] };
    expect(ended.stderr, ended.transcript).toContain("firing.ended");
    expect(reports).toHaveLength(2);
    for (const { run } of reports) expect(project.read(`reports/${run.id}.md`)).toContain(run.id);
    expect(readdirSync(join(project.folder, "reports"))).toHaveLength(2);
    project.write("one.yaml", "playbook: 1\nsteps: [");
    const broken = await project.run("schedule", "--once", "one.yaml", "--report", "md=reports/{run}.md");
    expect(broken.code, broken.transcript).toBe(2);
    expect(readdirSync(join(project.folder, "reports"))).toHaveLength(2);
  });

  test("schedule --once ends with the exit code of the run, and records the firing", async () => {
    const project = newProject();
    project.write("tokens.yaml", reading());
    const passed = await project.run("schedule", "--once", "tokens.yaml");
    expect(passed.code, passed.transcript).toBe(0);
    project.write("tokens.yaml", reading(undefined, "    expect: [response.size() > 0]\n"));
    const failed = await project.run("schedule", "--once", "tokens.yaml", "--report", "json=report.json");
    expect(failed.code, failed.transcript).toBe(1);
    expect(JSON.parse(project.read("report.json"))).toMatchObject({ reports: [{ run: { outcome: "failed" } }] });
    const firings = await firingsOf(project);
    expect(firings.map(({ state }) => state)).toEqual(["passed", "failed"]);
    expect(firings[1]?.problem?.message).toMatch(/^all: /);
    expect(describes({ format: 1, firings })).toEqual([]);
    const schedules = await schedulesOf(project, "tokens.yaml", "--next", "3");
    expect(describes({ format: 1, schedules })).toEqual([]);
    expect(schedules[0]).toMatchObject({ lastState: "failed", running: null, cron: "* * * * * *" });
    expect(schedules[0]?.next).toHaveLength(3);
    const list = await project.run("schedule", "list");
    expect(list.stdout, list.transcript).toContain("when another scheduler runs schedule --once");
    expect(list.stdout, list.transcript).toMatch(/last +failed at /);
  });

  test("schedule --once ends a run at its time limit, as failed", async () => {
    const project = newProject();
    project.serviceAt((await servedSandbox()).url);
    project.write("tokens.yaml", waiting("{ cron: '* * * * *', timeLimit: 500ms }"));
    const late = await project.run("schedule", "--once", "tokens.yaml");
    expect(late.code, late.transcript).toBe(1);
    const [firing] = await firingsOf(project);
    expect(firing).toMatchObject({ state: "failed", problem: { code: "schedule.time-limit" } });
    expect((await project.json("runs")).data.runs).toMatchObject([{ id: firing?.run, outcome: "interrupted" }]);
  });

  test("schedule --once repeats a failed run as often as the playbook allows", async () => {
    const project = newProject();
    project.write(
      "tokens.yaml",
      reading("{ cron: '* * * * *', retry: { attempts: 2, every: 10ms } }", "    expect: [response.size() > 0]\n"),
    );
    const failed = await project.run("schedule", "--once", "tokens.yaml");
    expect(failed.code, failed.transcript).toBe(1);
    expect(failed.stdout, failed.transcript).toContain("failed, is run again in 10 ms (1 of 2)");
    expect(await firingsOf(project)).toMatchObject([{ state: "failed", tries: 2 }]);
    expect((await project.json("runs")).data.runs).toHaveLength(2);
  });

  test("schedule --once with other inputs is another schedule", async () => {
    const project = newProject();
    const wanted = "inputs: { least: { type: integer, default: 0 } }\nsteps:";
    const text = reading(undefined, '    expect: ["response.size() >= inputs.least"]\n');
    project.write("tokens.yaml", text.replace("steps:", wanted));
    expect((await project.run("schedule", "--once", "tokens.yaml")).code).toBe(0);
    expect((await project.run("schedule", "--once", "tokens.yaml", "--input", "least=1000")).code).toBe(1);
    const ids = (await schedulesOf(project)).map(({ id }) => id);
    expect(ids).toEqual(["tokens.yaml@sandbox", expect.stringMatching(/^tokens\.yaml@sandbox\+[0-9a-f]{8}$/)]);
    const several = await project.run("schedule", "history", "tokens.yaml");
    expect(several.code, several.transcript).toBe(2);
    expect(several.stderr, several.transcript).toContain("is on several schedules");
  });

  test("schedule --once reports a run of the same schedule that is under way", async () => {
    const service = await servedSandbox();
    const project = newProject();
    project.serviceAt(service.url);
    project.write("tokens.yaml", waiting());
    const first = project.start("schedule", "--once", "tokens.yaml");
    await logged(first, "firing.started");
    const second = await project.run("schedule", "--once", "tokens.yaml", "--report", "junit=second.xml");
    expect(second.code, second.transcript).toBe(6);
    expect(project.read("second.xml")).toMatch(/tests="1" failures="1"[\s\S]*it is under way already/);
    expect(second.stdout, second.transcript).toContain(`it is under way already (process ${first.pid} on this host`);
    const [entry] = await schedulesOf(project);
    expect(entry?.running).toMatchObject({ alive: true, holder: { pid: first.pid } });
    const release = await project.run("schedule", "release", "tokens.yaml", "--because", "I think so");
    expect(release.code, release.transcript).toBe(6);
    expect(release.stderr, release.transcript).toContain("which is alive");
    await recordProperty(service);
    const ended = await first.ended;
    expect(ended.code, ended.transcript).toBe(0);
  });

  test("schedule --once does not repeat a write while its last run waits for a person", async () => {
    const project = newProject();
    project.write("hand-over.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));
    const pending = await project.run("schedule", "--once", "hand-over.yaml");
    expect(pending.code, pending.transcript).toBe(4);
    const kept = await project.run("schedule", "--once", "hand-over.yaml", "--report", "junit=kept.xml");
    expect(kept.code, kept.transcript).toBe(4);
    expect(project.read("kept.xml")).toMatch(/tests="1" failures="1"[\s\S]*not run: the run \S+ before it is pending/);
    expect(kept.stdout, kept.transcript).toMatch(/blocked: not run: the run \S+ before it is pending/);
    const list = await project.run("schedule", "list");
    expect(list.stdout, list.transcript).toMatch(/blocked +by the run \S+, which is pending/);
    expect((await project.json("runs")).data.runs).toHaveLength(1);
    const release = await project.run("schedule", "release", "hand-over.yaml", "--because", "the sale is off");
    expect(release.code, release.transcript).toBe(0);
    expect(release.stdout, release.transcript).toContain("hand-over.yaml@sandbox is free, says");
    const free = await project.run("schedule", "release", "hand-over.yaml", "--because", "once more");
    expect(free.code, free.transcript).toBe(2);
    expect(free.stderr, free.transcript).toContain("nothing holds the schedule hand-over.yaml@sandbox back");
    expect((await project.run("schedule", "history")).stdout).toMatch(/ pending .*\n    released by .*: the sale is off/);
    const again = await project.run("schedule", "--once", "hand-over.yaml");
    expect(again.code, again.transcript).toBe(4);
    expect((await project.json("runs")).data.runs).toHaveLength(2);
  });
});

describe("a playbook with writes after its process was killed", () => {
  test("a killed run with an open write blocks the next firing until somebody has looked", async () => {
    const service = await servedSandbox();
    const project = newProject();
    project.serviceAt(service.url);
    project.write("mint.yaml", MINT_ONCE);
    const dying = project.as({ ...KEYS, TOKENBOOK_FAILPOINT: "after:attempt.intended@mint" });
    const killed = await dying.run("schedule", "--once", "mint.yaml");
    expect(killed.code, killed.transcript).toBeNull();
    const kept = await project.run("schedule", "--once", "mint.yaml");
    expect(kept.code, kept.transcript).toBe(5);
    expect(kept.stdout, kept.transcript).toMatch(/died, run \S+: the process \d+ that ran it is gone/);
    expect(kept.stdout, kept.transcript).toMatch(/blocked: not run: the run \S+ before it is not finished/);
    const [run] = (await project.json("runs")).data.runs;
    const resolved = await project.run(
      "resolve",
      run?.id ?? "",
      "--step",
      "mint",
      "--as",
      "absent",
      "--because",
      "the ledger has no such mint",
    );
    expect(resolved.code, resolved.transcript).toBe(0);
    const passed = await project.run("schedule", "--once", "mint.yaml");
    expect(passed.code, passed.transcript).toBe(0);
    expect((await firingsOf(project)).map(({ state }) => state)).toEqual(["died", "blocked", "passed"]);
    const mints = operationsOf(await service.commits()).filter((operation) => operation === "ledger.token.mint");
    expect(mints).toHaveLength(1);
  });

  test("a killed run without an open write does not block the next firing", async () => {
    const project = newProject();
    project.write("mint.yaml", MINT_ONCE);
    const dying = project.as({ ...KEYS, TOKENBOOK_FAILPOINT: "before:attempt.intended@token" });
    expect((await dying.run("schedule", "--once", "mint.yaml")).code).toBeNull();
    const passed = await project.run("schedule", "--once", "mint.yaml");
    expect(passed.code, passed.transcript).toBe(0);
    expect((await firingsOf(project)).map(({ state }) => state)).toEqual(["died", "passed"]);
  });
});

describe("a schedule that cannot work is refused before its first firing", () => {
  test.for([
    ["a playbook without a schedule", ["once.yaml"], "once.yaml has no schedule"],
    ["no playbook at all", [], "no playbook is named"],
    ["an address that is none", ["tokens.yaml", "--listen", "nowhere"], "Write it as HOST:PORT"],
    ["one report for many", ["tokens.yaml", "more.yaml", "--report", "json=r.json"], "--report json=r-{run}.json"],
    ["a channel, and no tokenbook.yaml", ["tokens.yaml", "--notify", "desk"], "nobody can be notified"],
  ] as const)("%s", async ([, args, says]) => {
    const project = newProject();
    project.write("tokens.yaml", reading());
    project.write("more.yaml", reading());
    project.write("once.yaml", reading().replace(/^schedule.*\n/m, ""));
    const wrong = await project.run("schedule", ...args);
    expect(wrong.code, wrong.transcript).toBe(2);
    expect(wrong.stderr, wrong.transcript).toContain(says);
  });
});
