// Prints how many exported declarations in src/, and how many of their members, have a doc comment. `--missing` lists those without one. Exits with 1 if there
// are fewer than required.
import { globSync, readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";

type Statement = ReturnType<typeof parseSync>["program"]["body"][number];
type Declaration = NonNullable<Extract<Statement, { type: "ExportNamedDeclaration" }>["declaration"]>;

interface Documented {
  readonly kind: "export" | "member";
  readonly place: string;
  readonly isDocumented: boolean;
}

function documentedIn(file: string): readonly Documented[] {
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const ends = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*")).map(({ end }) => end);
  // A doc comment belongs to the declaration directly after it.
  const isDocumented = ({ start }: { readonly start: number }): boolean =>
    ends.some((end) => end <= start && text.slice(end, start).trim() === "");
  const found = (kind: Documented["kind"], node: { readonly start: number }): Documented => ({
    kind,
    place: `${file}:${text.slice(0, node.start).split("\n").length}: ${text.slice(node.start).split("\n", 1)[0]?.trim() ?? ""}`,
    isDocumented: isDocumented(node),
  });
  return program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return [];
    return [found("export", statement), ...membersOf(statement.declaration).map((member) => found("member", member))];
  });
}

/** Returns the fields of an exported interface or object type, and the public methods and fields of a class. */
function membersOf(declaration: Declaration): readonly { readonly start: number }[] {
  switch (declaration.type) {
    case "TSInterfaceDeclaration":
      return declaration.body.body;
    case "TSTypeAliasDeclaration":
      return declaration.typeAnnotation.type === "TSTypeLiteral" ? declaration.typeAnnotation.members : [];
    case "ClassDeclaration":
      return declaration.body.body.filter(
        (member) =>
          (member.type === "MethodDefinition" || member.type === "PropertyDefinition") &&
          member.key.type !== "PrivateIdentifier" &&
          member.accessibility !== "private" &&
          !member.override &&
          !(member.type === "MethodDefinition" && member.kind === "constructor"),
      );
    default:
      return [];
  }
}

const found = globSync("src/**/*.ts", { exclude: ["src/**/generated/**"] })
  .toSorted()
  .flatMap(documentedIn);
const LEAST = { export: 0.98, member: 0.95 };
for (const kind of ["export", "member"] as const) {
  const all = found.filter((each) => each.kind === kind);
  const documented = all.filter(({ isDocumented }) => isDocumented).length;
  const share = documented / all.length;
  console.log(
    `${kind}s: ${documented} of ${all.length} documented (${(share * 100).toFixed(1)} %, at least ${LEAST[kind] * 100} %)`,
  );
  if (share < LEAST[kind]) process.exitCode = 1;
}
if (process.argv.includes("--missing")) for (const { place } of found.filter((each) => !each.isDocumented)) console.log(place);
