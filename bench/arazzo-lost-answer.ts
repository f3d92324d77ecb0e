// `npm run arazzo:lost-answer`: what two runners make of one document when the answer of a mint is lost.
import { lostAnswer, mintsIn } from "../test/interchange/lost-answer.ts";

const { tokenbook, respect } = await lostAnswer();
console.log("| runner | mints | exit code |\n|---|---|---|");
for (const [name, outcome] of Object.entries({ tokenbook, "Redocly Respect": respect })) {
  console.log(`| ${name} | ${mintsIn(outcome)} | ${outcome.code} |`);
}
console.log(`\n${tokenbook.output}\n${respect.output}`);
