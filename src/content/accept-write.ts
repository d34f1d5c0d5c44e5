import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { acceptInput } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { withTimes } from './given-times.js';
import { withOwner } from './rules-on-writes.js';

type Context = Pick<ContentContext, 'bind' | 'notices'>;

/** Returns the part of the data of a write that may be written, as `acceptInput` does. Code may set the times of the entry too. */
export const acceptWrite = (type: ContentType, data: unknown, context: Context): Values =>
  context.bind.access.seesPrivate === true ? acceptChanged(type, data, context) : acceptInput(type, data, context);

/** Does the same for data that code around a write has changed. */
export const acceptChanged = (type: ContentType, data: unknown, context: Context): Values =>
  withTimes(acceptInput(type, data, context), data);

/** Does the same as `acceptWrite` for a new entry, and adds the owner that the caller's rule demands. */
export function acceptNew(type: ContentType, data: unknown, context: Context): Values {
  const accepted = acceptWrite(type, data, context);
  const { access } = context.bind;
  return access.rules.has(type.uid) ? withOwner(type, accepted, access) : accepted;
}
