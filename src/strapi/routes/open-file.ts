import { once } from 'node:events';
import { ReadStream } from 'node:fs';
import { notFoundError } from '#base/errors.js';

/**
 * Waits until the file that code answers is open. Throws a NotFoundError for a file that does not exist; later the connection would only
 * be closed.
 */
export async function openFile(body: unknown): Promise<void> {
  if (!(body instanceof ReadStream)) return;
  try {
    if (body.errored !== null) throw body.errored;
    if (body.pending) await once(body, 'open');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? notFoundError() : error; // of a stream
  }
}
