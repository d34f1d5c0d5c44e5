import { memoizePair } from '#base/caches.js';
import type { ContentContext } from '#content/content-context.js';
import { hasId } from '#model/query/entry-access.js';
import { createShaper, type Presentation, type Shaped } from '#content/shape-values.js';
import { ApiError } from '#base/errors.js';
import type { EntryWritten } from '#store/changes/entry-events.js';
import { meetsMatch, readEntry } from '#store/read/read-entry.js';
import { readTreeOf } from '#store/read/read-entry.js';
import { eventBody } from '#store/stores/delivery-store.js';
import { actionOf, allows } from '#model/query/access.js';
import type { Query } from '#model/query/ast.js';
import type { Limits } from '#model/query/bind-context.js';
import { bindRule } from '#model/query/bind-filter.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import { allOf } from '#model/query/conditions.js';
import { parseEntryQuery } from '#model/query/parse-query.js';
import { uploadFile } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import type { Webhook, WebhookEvent } from './webhook.js';

type BodyOptions = Pick<Webhook, 'populate' | 'fields'>;

/** Returns the query that a webhook reads entries by. Throws a ValidationError for a wrong `populate` or `fields`. */
export const queryOf = memoizePair(({ populate, fields }: BodyOptions, limits: Limits): Query => {
  return { ...parseEntryQuery({ populate, fields }, limits), withLocales: false };
});

/** Entries as v4 sends them: flat, with related entries as they are. */
const flat: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_entry, values) => values,
  one: (entry) => entry,
  many: (entries) => entries,
  count: (count) => ({ count }),
  targets: (list, { many }) => (many ? list : (list[0] ?? null)),
  isAnswer: true,
};

/**
 * Returns the entry of an event as a webhook sees it; null if its role may not see it. `content` has the access of the role, and the
 * transaction of the write. If the entry cannot be read as the webhook asks for, only its id is returned, and why.
 */
export async function seenEntry(
  event: EntryWritten,
  webhook: BodyOptions,
  content: ContentContext,
): Promise<VisibleEntry | null> {
  const { type, document } = event;
  const { bind, store } = content;
  if (type.uid !== uploadFile && !['find', 'findOne'].some((name) => allows(bind.access, actionOf(type, name)))) return null;
  if (!(await isVisible(event, content).catch(isRefused))) return null;
  try {
    const selection = bindEntrySelection(queryOf(webhook, bind.limits), type, bind);
    const entry = createShaper(flat, bind.budget)(await readTreeOf(selection, document, store.database));
    return { entry, problem: null };
  } catch (error) {
    isRefused(error);
    return { entry: { id: event.id }, problem: (error as ApiError).message }; // checked above
  }
}

/** Returns false for an error that says that something cannot be read, such as a rule that names an unknown attribute. Throws others. */
function isRefused(error: unknown): false {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  return false;
}

interface VisibleEntry {
  readonly entry: Shaped;
  readonly problem: string | null;
  /** What the body says besides the entry. */
  readonly more?: Values;
}

/** Returns whether the entry meets the row rule of the role. A deleted one is compared as it was. */
async function isVisible(
  { kind, type, id, document }: EntryWritten,
  { bind, store: { database } }: ContentContext,
): Promise<boolean> {
  const rule = bindRule(type, bind);
  if (rule.length === 0) return true;
  if (kind === 'delete') return meetsMatch(document, allOf(rule), database);
  const selection = { type, fields: [], children: [], locales: null };
  return (await readEntry(allOf([hasId(id), ...rule]), selection, database)) !== null;
}

/** Bytes of the largest body that is sent whole. */
export const largestBody = 1_048_576;

/** Returns the body of an event of an entry. If the entry makes it too large, only the id of the entry is sent, and why. */
export function entryBody(
  name: WebhookEvent,
  { type, id, at }: Pick<EntryWritten, 'type' | 'id' | 'at'>,
  seen: VisibleEntry,
  format: Webhook['format'],
): string {
  const { entry, problem, more } = seen;
  const isMedia = format === 'strapi' && name.startsWith('media.');
  const named = isMedia ? { media: entry } : { model: type.singularName, uid: type.uid, entry, ...more };
  const about = problem === null ? named : { ...named, problem };
  const body = eventBody({ event: name, at, about }, format);
  if (problem !== null || Buffer.byteLength(body) <= largestBody) return body;
  return entryBody(
    name,
    { type, id, at },
    { entry: { id }, problem: 'the entry is larger than 1 MB', ...(more && { more }) },
    format,
  );
}
