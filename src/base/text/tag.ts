/** The pattern of a playbook's tag. */
export const TAG_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]*$";
