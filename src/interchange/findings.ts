import { CATALOGUE, type Code } from "../base/catalogue/catalogue.ts";
import { LIMITS } from "../base/limits.ts";
import type { Diagnostic, Finding } from "../source/diagnostic.ts";
import type { SourceFile } from "../source/file.ts";
import type { Range } from "../source/node.ts";

/** Where a finding is: a range of the text, or something that has one. */
export type FindingPlace = Range | { readonly range: Range };

/** What a translation found in one file. */
export class TranslationFindings {
  readonly #file: SourceFile;
  readonly #diagnostics: Diagnostic[];

  constructor(file: SourceFile, diagnostics: readonly Diagnostic[] = []) {
    this.#file = file;
    this.#diagnostics = [...diagnostics];
  }

  /** All findings, in the order in which they were reported. */
  get all(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Whether nothing can be made of the document. */
  get failed(): boolean {
    return this.#diagnostics.some(({ code }) => CATALOGUE[code].severity === "error" && code !== LOST);
  }

  /** Adds a finding, unless there are `LIMITS.diagnostics` already. Returns nothing. */
  report(finding: Finding, place: FindingPlace): undefined {
    if (this.#diagnostics.length < LIMITS.diagnostics)
      this.#diagnostics.push(this.#file.diagnose(finding, "range" in place ? place.range : place));
    return undefined;
  }

  /** The document asks for something that must not or cannot be done. */
  refuse(place: FindingPlace, message: string, why: string, suggestion?: string): undefined {
    return this.report({ code: "interchange.refused", message, why, suggestion }, place);
  }

  /** The translation does less than the original, or something else. */
  lose(place: FindingPlace, message: string, why: string, suggestion?: string): undefined {
    return this.report({ code: LOST, message, why, suggestion }, place);
  }

  /** The translation is safer or stricter than the original; reported once for each message. */
  tighten(place: FindingPlace, message: string, why: string): undefined {
    if (this.#diagnostics.some((known) => known.message === message)) return undefined;
    return this.report({ code: "interchange.stricter", message, why }, place);
  }
}

/** A document that another one is translated to. */
export interface Translated {
  /** The text of the document; `undefined` when none can be made. */
  readonly text: string | undefined;
  /** What the translation loses or changes, and why there is no text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The code of what a translation loses. */
export const LOST: Code = "interchange.lost";
