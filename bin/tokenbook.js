#!/usr/bin/env node
// Written so that an old Node can read it: it says what to do instead of failing on syntax that it does not know.
const needed = 24;
if (Number(process.versions.node.split(".")[0]) < needed) {
  process.stderr.write(
    `tokenbook needs Node ${needed} or newer, and this is Node ${process.versions.node}: run it with \`npx --package=node@${needed} --package=tokenbook tokenbook\`\n`,
  );
  process.exitCode = 2;
} else {
  const { boot } = await import("../dist/boot.cjs");
  await boot();
}
