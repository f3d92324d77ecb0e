import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";

/** Thrown by a read that ends without an answer because the run must stop. The step that makes the read records nothing. */
export class Interrupted extends Failure {
  constructor(read: string) {
    super({
      code: "run.interrupted",
      message: `interrupted while waiting for ${read}`,
      exit: EXIT.interrupted,
    });
  }
}
