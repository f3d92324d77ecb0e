import { Failure } from "../base/failure.ts";

/** The failure of a database that cannot be used. */
export class DatabaseFailure extends Failure {}

/** A transaction was undone because something that it required is not so. */
export class Unmet extends Error {}

/** The failure of a server that cannot be reached now: it may be back soon. */
export class ServerAway extends DatabaseFailure {}
