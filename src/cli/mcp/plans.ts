import { hash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../base/failure.ts";
import { isObject, parseJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { createDurable, writeWhole } from "../../files/output.ts";
import { makePrivateFolder, stateEntry } from "../../files/state.ts";
import { readPrivate, removePrivate } from "../../files/private.ts";
import { readPlan } from "../../planner/read-plan.ts";
import { harmlessDocument } from "../../base/text/harmless.ts";
import type { PlanDocument, PlanRequest } from "../../report/plan/shape.ts";

/**
 * The plans that an assistant may run, by the digests of their files. They are in the state directory, so that a restarted server knows them too. A file also
 * contains the request for the plan, so the digest covers both.
 */
export class KeptPlans {
  readonly #folder: string;

  /** Opens the plans of a state directory. Throws a Failure. */
  constructor(stateDirectory: string) {
    this.#folder = stateEntry(stateDirectory, "plans", "create");
    makePrivateFolder(this.#folder);
  }

  /** Stores a plan and returns its digest. Removes the oldest plans beyond `LIMITS.assistantPlans`. */
  keep(plan: PlanDocument, request: PlanRequest): string {
    const text = harmlessDocument({ ...plan, request });
    const digest = hash("sha256", text);
    writeWhole(this.file(digest), [text]);
    const age = (name: string): number => statSync(join(this.#folder, name)).mtimeMs;
    const plans = readdirSync(this.#folder).filter((name) => name.endsWith(".plan"));
    const old = plans.toSorted((one, other) => age(other) - age(one)).slice(LIMITS.assistantPlans);
    for (const name of old)
      for (const part of ["plan", "request", "key"] as const) removePrivate(this.#path(name.replace(/\.plan$/, ""), part));
    return digest;
  }

  /** Returns the file of a plan, which a person approves. */
  file(digest: string): string {
    return this.#path(digest, "plan");
  }

  /** Returns the request for a plan. Throws a Failure if no plan has this digest; a file that was changed has another digest. */
  find(digest: string): PlanRequest {
    const text = DIGEST.test(digest) ? readPrivate(this.file(digest)) : undefined;
    if (text !== undefined && hash("sha256", text) === digest) {
      const request = readPlan(this.file(digest), parseJson(text.toString("utf8"))).request ?? this.#requestOf(digest);
      if (request !== undefined) return request;
    }
    throw new Failure({
      code: "mcp.plan-unknown",
      message: "this server keeps no plan with this digest; a plan whose file was edited has another digest",
      why: "a run does only what its plan says, so that a person can read it first; nothing was sent",
      next: "call the tool plan, and give the digest that it returns",
    });
  }

  /**
   * Durably binds a plan to the key of its run before anything is sent (decision 171). Throws a Failure if the plan is bound to another key: an assistant that
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

  // Earlier versions stored the request in a separate file. If somebody changes that file, the run is refused, because the plan belongs to other inputs.
  #requestOf(digest: string): PlanRequest | undefined {
    const text = readPrivate(this.#path(digest, "request"));
    const request = text === undefined ? undefined : parseJson(text.toString("utf8"));
    return isObject(request) ? (request as unknown as PlanRequest) : undefined;
  }

  #create(path: string, key: string): void {
    try {
      createDurable(path, [key]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process has bound the plan in between
    }
  }

  #path(digest: string, part: "plan" | "request" | "key"): string {
    return join(this.#folder, `${digest}.${part}`);
  }
}

const DIGEST = /^[0-9a-f]{64}$/;
