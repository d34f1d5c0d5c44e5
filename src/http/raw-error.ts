/**
 * An error that the reference's HTTP layer answers before its API is asked: the envelope without `details` (rest.md 3).
 * Thrown like any other.
 */
export const rawError = (status: number, name: string, message: string): Error =>
  Object.assign(new Error(message), { status, name });

export const bodyTooLarge = (): Error => rawError(413, 'PayloadTooLargeError', 'request entity too large');

export const bodyInvalid = (message: string): Error => rawError(400, 'BadRequestError', message);
