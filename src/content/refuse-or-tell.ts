import { type FieldError, fieldErrors } from '../errors.js';
import { maximumErrors } from '../schema/findings.js';
import type { ContentContext } from './content-context.js';

/** A part of a request that is not carried out. The message names the cause; the remedy is what an operator can do. */
export interface Undone extends FieldError {
  /** The cause as the log tells it, without what differs between requests; the message if absent. */
  readonly cause?: string;
  readonly remedy: string;
}

/**
 * Handles what a request asks for and does not get: strict mode refuses it, otherwise the log says it once per cause. Throws a
 * ValidationError in strict mode if there is any.
 */
export function refuseOrTell(undone: readonly Undone[], { bind, notices }: Pick<ContentContext, 'bind' | 'notices'>): void {
  if (undone.length === 0) return;
  if (bind.settings.strict) throw fieldErrors(undone.slice(0, maximumErrors).map(({ path, message }) => ({ path, message })));
  for (const { message, cause = message, remedy } of undone) notices.tell(`${cause}; ${remedy}`);
}
