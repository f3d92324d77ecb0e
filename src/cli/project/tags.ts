import { Failure } from "../../base/failure.ts";
import { didYouMeanOr } from "../../base/text/text.ts";
import type { Playbook } from "../../playbook/model.ts";

interface Tagged {
  readonly playbook: Pick<Playbook, "tags"> | undefined;
}

/**
 * Returns the playbooks that tags choose: `smoke,slow` chooses playbooks with one of these tags, `!slow` those without it. A playbook with errors always stays,
 * because it must not be left out silently. Throws a Failure if no playbook has a named tag, or if no playbook is left.
 */
export function chosenByTags<Checked extends Tagged>(checked: readonly Checked[], named: readonly string[]): readonly Checked[] {
  const known = [...new Set(checked.flatMap(({ playbook }) => playbook?.tags ?? []))].toSorted();
  const broken = checked.some(({ playbook }) => playbook === undefined);
  for (const tag of named.map(bare)) if (!known.includes(tag) && !broken) throw unknownTag(tag, known);
  const chosen = checked.filter(({ playbook }) => playbook === undefined || isChosen(playbook, named));
  if (chosen.length > 0) return chosen;
  throw new Failure({
    code: "tags.none",
    message: `no playbook is chosen by --tags ${named.join(",")}`,
    next: `tags of these playbooks: ${known.join(", ")}`,
  });
}

/** Returns whether tags choose a playbook. */
export function isChosen({ tags }: Pick<Playbook, "tags">, named: readonly string[]): boolean {
  const wanted = named.filter((tag) => !isDenied(tag));
  const denied = new Set(named.filter(isDenied).map(bare));
  return (wanted.length === 0 || wanted.some((tag) => tags.includes(tag))) && !tags.some((tag) => denied.has(tag));
}

function isDenied(tag: string): boolean {
  return tag.startsWith("!");
}

function bare(tag: string): string {
  return isDenied(tag) ? tag.slice(1) : tag;
}

function unknownTag(tag: string, known: readonly string[]): Failure {
  return new Failure({
    code: "tags.unknown",
    message: `none of these playbooks has the tag "${tag}"`,
    next: didYouMeanOr(
      tag,
      known,
      known.length === 0 ? `leave out --tags, or write tags: [${tag}] into a playbook` : `their tags: ${known.join(", ")}`,
    ),
  });
}
