/** Prepares something that was just opened, and returns it. If this fails, nobody receives it, so it is closed. */
export function readyOrClosed<T extends { close(): void }>(opened: T, prepare: (opened: T) => void): T {
  try {
    prepare(opened);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}
