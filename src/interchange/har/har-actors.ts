import { readEntity } from "../../base/entity.ts";
import { getOrInsert } from "../../base/maps.ts";
import { KEY_ACTS } from "../../playbook/steps/identity.ts";
import type { FindingPlace, TranslationFindings } from "../findings.ts";
import { DeclaredActors } from "../declared-actors.ts";
import type { HarCall } from "./har-request.ts";

const MASKED = /^\$\{\{ secrets\.(\w+) \}\}$/;

/** The actors of an archive, one for each entity and each key. A key is never written: it gets the name of a credential instead. */
export class HarActors {
  readonly #findings: TranslationFindings;
  /** The actors that were named so far. */
  readonly declared: DeclaredActors = new DeclaredActors();
  readonly #credentials = new Map<string, string>();
  readonly #shared = new Map<string, string>();

  constructor(findings: TranslationFindings) {
    this.#findings = findings;
  }

  /** Returns the `as` of a call. */
  of({ operation, acting, key = "" }: HarCall, place: FindingPlace): unknown {
    const { service } = operation;
    if (service.identity.kind === "credential") {
      const credential = this.#credential(key, place);
      return this.declared.named(actorName(credential), service.name, credential);
    }
    const first = getOrInsert(this.#shared, service.name, () => key);
    if (first !== key)
      this.#findings.lose(
        place,
        "this request has another key than those before it",
        "an environment has one key for this interface",
      );
    const entity = readEntity(acting ?? "");
    if (acting === undefined || acting === "") return { [service.name]: KEY_ACTS };
    if (entity !== undefined && !acting.includes("${{")) return this.declared.named(entity.value, service.name, acting);
    return this.#findings.lose(place, "who acts is no entity", "an entity is written as in userId:alice");
  }

  #credential(key: string, place: FindingPlace): string {
    const masked = MASKED.exec(key)?.[1];
    if (masked !== undefined) return masked;
    return getOrInsert(this.#credentials, key, () => this.#newCredential(key, place));
  }

  #newCredential(key: string, place: FindingPlace): string {
    const name = this.#credentials.size === 0 ? "CALLER_KEY" : `CALLER_${this.#credentials.size + 1}_KEY`;
    const why = "keys are not copied: give the environment a credential of this name";
    if (/[A-Za-z\d]/.test(key)) this.#findings.tighten(place, `the caller with this key is called ${name}`, why);
    else this.#findings.lose(place, `all callers whose keys are masked are one, ${name}`, why);
    return name;
  }
}

function actorName(credential: string): string {
  return credential.replace(/_?KEY$/, "").toLowerCase() || credential;
}
