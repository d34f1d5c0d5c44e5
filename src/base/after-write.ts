/** Errors of work after writes. */
const errors = new WeakSet<object>();

/** Runs work after a write. Its errors are no refusals of the write: it was made, and perhaps undone because of them. */
export async function runAfterWrite(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    errors.add(Object(error) as object);
    throw error;
  }
}

/** Returns whether an error was thrown by work after a write. */
export const isAfterWrite = (error: object): boolean => errors.has(error);
