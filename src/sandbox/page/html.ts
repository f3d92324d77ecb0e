import { withoutMarkup } from "../../base/text/entities.ts";

/** A piece of HTML in which all foreign text is escaped. */
export class Html {
  /** The finished markup. */
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Joins our own markup with foreign values. */
  static join(markup: readonly string[], values: readonly HtmlValue[]): Html {
    return new Html(markup.map((part, at) => part + (at < values.length ? show(values[at]) : "")).join(""));
  }
}

/** What a piece of HTML may contain. */
type HtmlValue = Html | string | number | undefined | readonly Html[];

/** Writes HTML. Values are escaped unless they are HTML themselves. */
export function html(markup: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.join(markup, values);
}

function show(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("\n");
  return withoutMarkup(String(value));
}
