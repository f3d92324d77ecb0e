/** What a tag of a playbook may be. */
export const TAG_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]*$";
