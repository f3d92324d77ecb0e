/** The words of other tools, and the command here that does the same. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ...words("tokenbook new project FOLDER", "init", "create", "scaffold", "generate", "setup"),
  ...words("tokenbook check FILE", "validate", "lint", "verify", "typecheck", "compile", "build"),
  ...words("tokenbook fmt FILE", "format", "prettier"),
  ...words("tokenbook doctor", "diagnose", "health", "ping", "status", "config", "env", "environments"),
  ...words("tokenbook plan FILE", "preview", "diff", "dry-run", "dryrun", "simulate"),
  ...words("tokenbook run FILE", "apply", "exec", "execute", "start", "deploy", "play", "up"),
  ...words("tokenbook resume", "retry", "continue", "rerun", "restart", "recover"),
  ...words("tokenbook resolve RUN", "settle", "fix", "unlock"),
  ...words("tokenbook runs", "list", "ls", "history", "ps", "log", "logs"),
  ...words("tokenbook runs show RUN", "show", "get", "inspect", "describe", "info"),
  ...words("tokenbook runs export RUN", "export", "dump"),
  ...words("tokenbook runs archive --older 90d --to DIR", "archive", "prune", "purge"),
  ...words("tokenbook runs leases", "leases", "locks"),
  ...words("tokenbook drift list", "drifts", "differences"),
  ...words("tokenbook view", "ui", "dashboard", "web", "open", "browse"),
  ...words("tokenbook operations WORD", "search", "find", "ops", "api", "methods", "docs"),
  ...words("tokenbook library", "examples", "templates", "modules", "playbooks"),
  ...words("tokenbook check --explain CODE", "explain"),
  ...words("tokenbook schedule FILE", "cron", "watch", "daemon", "serve"),
  ...words("tokenbook sandbox", "server", "mock", "emulator", "dev"),
  ...words("tokenbook --version", "version"),
]);

function words(command: string, ...others: readonly string[]): readonly (readonly [string, string])[] {
  return others.map((other) => [other, command]);
}

/** Returns the command that does what a word of another tool means. */
export function commandForWord(word: string): string | undefined {
  return OTHER_WORDS.get(word.toLowerCase());
}
