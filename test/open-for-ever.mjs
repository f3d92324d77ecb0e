// Preloaded into a command: what a library might leave open.
setInterval(() => undefined, 60_000);
