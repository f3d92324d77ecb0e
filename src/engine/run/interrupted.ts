import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";

/** Thrown by a read that ends without an answer because the run is to stop. Nothing is recorded of what the read was for. */
export class Interrupted extends Failure {
  constructor(read: string) {
    super({
      code: "run.interrupted",
      message: `interrupted while it waited for ${read}`,
      exit: EXIT.interrupted,
    });
  }
}
