import { ApiError } from '#base/errors.js';
import type { Handler } from '../panel-route.js';

/** A refusal that is answered as `{ error: code }`. */
export class Refusal extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, code: string) {
    super(code);
    this.status = status;
  }
}

/** Returns a handler that answers errors in the forms of the builder: without `data`, and validation errors without a status. */
export const answering =
  (handle: Handler): Handler =>
  async (call) => {
    try {
      return await handle(call);
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
      if (!(error instanceof ApiError) || error.status !== 400 || error.name !== 'ValidationError') throw error;
      const { name, details, message } = error;
      return { status: 400, body: { error: { name, details, message } } };
    }
  };
