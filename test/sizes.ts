// Long searches have two sizes: that of every `npm test`, and that of `npm run test:nightly`, which tries all that there is.

/** Whether this is the long run of the night. */
export const isNightly: boolean = process.env["NIGHTLY"] === "1";
