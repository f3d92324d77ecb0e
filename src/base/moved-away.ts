import { Failure } from "./failure.ts";

/** A place from which a state was moved away, in words for people. */
interface MovedAway {
  readonly from: string;
  /** Where the state is now; left out where that is not known. */
  readonly to?: string;
  /** The name under which the original is kept; left out where it has its own. */
  readonly kept?: string;
  /** The command that brings a state back. */
  readonly back: string;
}

/** Returns the failure of whoever looks for a state where it was moved away. */
export function movedAway({ from, to = "another place", kept, back }: MovedAway): Failure {
  const why = "a run that began here would not know what was done before, and could do it again";
  return new Failure({
    code: "state.moved-away",
    message: `the state of ${from} was moved to ${to}`,
    why: kept === undefined ? why : `${why}; what was here is kept as ${kept}`,
    next: `let tokenbook.yaml name the place to which it was moved (state:), or bring it back: ${back}`,
  });
}
