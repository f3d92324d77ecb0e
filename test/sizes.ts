// Long searches have two sizes: a small one for every `npm test`, and the full one for `npm run test:nightly`.

/** Whether this is the long nightly run. */
export const isNightly: boolean = process.env["NIGHTLY"] === "1";
