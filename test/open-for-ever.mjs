// A test loads this into a command, because a library might leave such a timer open.
setInterval(() => undefined, 60_000);
