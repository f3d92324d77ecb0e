import { CATALOGUE, type Code } from "../base/catalogue/catalogue.ts";
import { LIMITS } from "../base/limits.ts";
import type { Diagnostic, Finding } from "../source/diagnostic.ts";
import type { SourceFile } from "../source/file.ts";
import type { Range } from "../source/node.ts";

/** Where a finding is: a range of the text, or something that has one. */
export type FindingPlace = Range | { readonly range: Range };

/** The findings of a translation in one file. */
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

  /** Whether the document cannot be translated at all. */
  get failed(): boolean {
    return this.#diagnostics.some(({ code }) => CATALOGUE[code].severity === "error" && code !== LOST);
  }

  /** Adds a finding, up to `LIMITS.diagnostics`. Returns undefined. */
  report(finding: Finding, place: FindingPlace): undefined {
    if (this.#diagnostics.length < LIMITS.diagnostics)
      this.#diagnostics.push(this.#file.diagnose(finding, "range" in place ? place.range : place));
    return undefined;
  }

  /** Reports that the document asks for something that is forbidden or impossible. */
  refuse(place: FindingPlace, message: string, why: string, suggestion?: string): undefined {
    return this.report({ code: "interchange.refused", message, why, suggestion }, place);
  }

  /** Reports that the translation does less than the original, or something else. */
  lose(place: FindingPlace, message: string, why: string, suggestion?: string): undefined {
    return this.report({ code: LOST, message, why, suggestion }, place);
  }

  /** Reports once for each message that the translation is safer or stricter than the original. */
  tighten(place: FindingPlace, message: string, why: string): undefined {
    if (this.#diagnostics.some((known) => known.message === message)) return undefined;
    return this.report({ code: "interchange.stricter", message, why }, place);
  }
}

/** The result of translating a document. */
export interface Translated {
  /** The text of the translation; `undefined` if there is none. */
  readonly text: string | undefined;
  /** The findings about what the translation loses or changes, and why there is no text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The code of a loss in a translation. */
export const LOST: Code = "interchange.lost";
