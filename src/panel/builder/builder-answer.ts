import { ApiError } from '../../errors.js';
import type { Answer } from '../../http/route.js';

/** A refusal that is answered as `{ error: code }`. */
export class Refusal extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, code: string) {
    super(code);
    this.status = status;
  }
}

/** Answers errors of the builder in their own forms: without `data`, and validation errors without a status. */
export async function answering(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
    if (!(error instanceof ApiError) || error.status !== 400 || error.name !== 'ValidationError') throw error;
    const { name, details, message } = error;
    return { status: 400, body: { error: { name, details, message } } };
  }
}
