import { command, type CommandLine } from "../../base/command-line.ts";

/** Words from other tools, with the command here that does the same. */
const OTHER_WORDS: ReadonlyMap<string, CommandLine> = new Map([
  ...words(command`new project FOLDER`, "init", "create", "scaffold", "generate", "setup"),
  ...words(command`check FILE`, "validate", "lint", "verify", "typecheck", "compile", "build"),
  ...words(command`fmt FILE`, "format", "prettier"),
  ...words(command`doctor`, "diagnose", "health", "ping", "status", "config", "env", "environments"),
  ...words(command`plan FILE`, "preview", "diff", "dry-run", "dryrun", "simulate"),
  ...words(command`run FILE`, "apply", "exec", "execute", "start", "deploy", "play", "up"),
  ...words(command`resume`, "retry", "continue", "rerun", "restart", "recover"),
  ...words(command`resolve RUN`, "settle", "fix", "unlock"),
  ...words(command`runs`, "list", "ls", "history", "ps", "log", "logs"),
  ...words(command`runs show RUN`, "show", "get", "inspect", "describe", "info"),
  ...words(command`runs export RUN`, "export", "dump"),
  ...words(command`convert FROM TO`, "import", "record", "har", "arazzo", "migrate"),
  ...words(command`new playbook FILE`, "draft", "add"),
  ...words(command`runs archive --older 90d --to DIR`, "archive", "prune", "purge"),
  ...words(command`runs leases`, "leases", "locks"),
  ...words(command`drift list`, "drifts", "differences"),
  ...words(command`view`, "ui", "dashboard", "web", "open", "browse"),
  ...words(command`operations WORD`, "search", "find", "ops", "api", "methods", "docs"),
  ...words(command`library`, "examples", "templates", "modules", "playbooks"),
  ...words(command`check --explain CODE`, "explain"),
  ...words(command`schedule FILE`, "cron", "watch", "daemon", "serve"),
  ...words(command`sandbox`, "server", "mock", "emulator", "dev"),
  ...words(command`--version`, "version", "-v"),
]);

function words(typed: CommandLine, ...others: readonly string[]): readonly (readonly [string, CommandLine])[] {
  return others.map((other) => [other, typed]);
}

/** Returns the command for a word from another tool. For the name of a playbook, it is the command that runs the playbook. */
export function commandForWord(word: string): CommandLine | undefined {
  return /\.ya?ml$/i.test(word) ? command`run ${word}` : OTHER_WORDS.get(word.toLowerCase());
}
