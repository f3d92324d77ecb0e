// Loaded before each command whose compiled code the binary contains. It replaces random ids, because they decide which functions a command calls.
const crypto = require("node:crypto");

const BYTES_OF_HASH = 32;
let drawn = 0;

// Two processes must not generate the same id, because each would mistake the other one for itself.
const digits = () =>
  crypto
    .createHash("sha256")
    .update(`${process.argv.slice(2)} ${drawn++}`)
    .digest("hex");

crypto.randomBytes = (count) => Buffer.from(digits().repeat(Math.ceil(count / BYTES_OF_HASH)), "hex").subarray(0, count);
crypto.randomUUID = () => digits().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
