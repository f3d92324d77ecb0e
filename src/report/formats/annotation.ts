import { withoutLogCommands } from "../../base/text/harmless.ts";
import { sanitise } from "../../base/text/text.ts";

/** A workflow command that GitHub Actions turns into an annotation. */
export interface Annotation {
  /** The name of the command, by which GitHub chooses the colour. */
  readonly severity: "error" | "warning" | "notice";
  /** The place and the title, such as `file`, `line` and `title`. */
  readonly properties: Readonly<Record<string, string | number>>;
  /** What is said there; it may have several lines. */
  readonly message: string;
}

/** The command in its one line, whatever the texts are. */
export function workflowCommand({ severity, properties, message }: Annotation): string {
  const written = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${severity} ${written.join(",")}::${escaped(message)}\n`;
}

// The escapes of GitHub's own toolkit: a message ends with its line, a property with a comma or a colon.
function escaped(text: string): string {
  return withoutLogCommands(sanitise(text.toWellFormed().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")));
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
