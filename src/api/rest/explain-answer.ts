import { type ContentContext, withDatabase } from '#content/content-context.js';
import { forbiddenError } from '#base/errors.js';
import type { RouteCall } from '#http/route.js';
import { ReadTrace } from '#store/read/explain-read.js';
import { isRecord, mapValues } from '#base/values.js';
import type { Json } from './envelope.js';

/**
 * Returns an answer with `meta.explain`: the way in which its page was read, the commands and what the server did for each. Throws a
 * ForbiddenError unless the caller has an admin token.
 */
export async function explainAnswer(
  { caller, content }: RouteCall,
  read: (content: ContentContext) => Promise<Json>,
): Promise<Json> {
  if (caller.kind !== 'token' || caller.token.type !== 'admin') throw forbiddenError('explain requires an admin token');
  const { database } = content.store;
  const trace = new ReadTrace();
  const { meta, ...answer } = await read(withDatabase(content, { ...database, trace }));
  const { way, foundEntries, commands, advice } = await trace.explain(database, content.bind.registry);
  const shown = commands.map(({ command, work }) => ({ command: cutLists(command), plan: work }));
  const search = foundEntries === null ? {} : { search: { by: foundEntries.by, ids: foundEntries.ids.length } };
  const explain = { way, ...search, commands: shown, ...(advice !== null && { advice }) };
  return { ...answer, meta: { ...(meta as object), explain } };
}

/** Maximum number of items of a list that are shown. */
const longest = 100;

/** Returns a command whose long lists are cut, because conditions on related entries may be resolved to many ids. */
function cutLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, longest).map(cutLists);
    return value.length > longest ? [...shown, `... ${String(value.length - longest)} more`] : shown;
  }
  return isRecord(value) ? mapValues(value, cutLists) : value;
}
