/** Values of environment variables, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Returns whether a variable exists and is not empty. */
export function isSet(variable: string | undefined): variable is string {
  return variable !== undefined && variable !== "";
}

/** Returns whether a variable switches something on: it is set, and is neither `0` nor `false`. */
export function isOn(variable: string | undefined): boolean {
  return isSet(variable) && variable !== "0" && variable !== "false";
}
