// `npm run arazzo:lost-answer`: compares what two runners do with the same document when the answer to a mint is lost, and with a number of many
// digits.
import { type Demonstrated, lostAnswer, manyDigits, mintsIn, storedIn } from "../test/interchange/lost-answer.ts";

function named({ tokenbook, respect }: Demonstrated): readonly (readonly [string, Demonstrated["tokenbook"]])[] {
  return [
    ["tokenbook", tokenbook],
    ["Redocly Respect", respect],
  ];
}

const lost = await lostAnswer();
console.log("| runner | mints | exit code |\n|---|---|---|");
for (const [name, outcome] of named(lost)) console.log(`| ${name} | ${mintsIn(outcome)} | ${outcome.code} |`);
const digits = await manyDigits();
console.log("\n| runner | stores | the false criterion |\n|---|---|---|");
for (const [name, outcome] of named(digits))
  console.log(`| ${name} | ${storedIn(outcome)} | ${outcome.code === 0 ? "passes" : "fails"} |`);
console.log([lost, digits].flatMap((each) => [each.tokenbook.output, each.respect.output]).join("\n"));
