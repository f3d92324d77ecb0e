import { Failure } from "../base/failure.ts";

/** The failure of a database that cannot be used. */
export class DatabaseFailure extends Failure {}
