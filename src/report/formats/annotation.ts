import { withoutLogCommands } from "../../base/text/harmless.ts";
import { sanitise } from "../../base/text/text.ts";

/** A workflow command that GitHub Actions turns into an annotation. */
interface Annotation {
  /** The name of the command, which decides the color on GitHub. */
  readonly severity: "error" | "warning" | "notice";
  /** The place and the title, such as `file`, `line` and `title`. */
  readonly properties: Readonly<Record<string, string | number>>;
  readonly message: string;
}

/** Writes the command as one line, whatever its texts contain. */
export function workflowCommand({ severity, properties, message }: Annotation): string {
  const written = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${severity} ${written.join(",")}::${escaped(message)}\n`;
}

// Uses the escapes of GitHub's own toolkit. A line break would end the message, and a comma or a colon would end a property.
function escaped(text: string): string {
  return withoutLogCommands(sanitise(text.toWellFormed().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")));
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
