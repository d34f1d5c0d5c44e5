import { findMany } from '#content/find-many.js';
import type { EntryKey } from '#content/meet-precondition.js';
import type { ContentContext } from '#content/content-context.js';
import { forbiddenError, notFoundError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { idOf } from '#http/route-request.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { needing, type PanelCall } from '../panel-route.js';
import { paginationOf, parametersOf, parseListQuery } from '../panel-query.js';
import { shownTypes } from '../rights/actions.js';
import { contentFor } from '../rights/content-access.js';
import { callOnShownEntry, findEntry, idQuery } from './entry-rights.js';
import { countedParts, entryQuery, type EntryForm, populateRows } from './entry-query.js';
import { hasDraft, withDraftBeside } from './publish-entry.js';
import { showPermitted } from './show-entry.js';

/** The routes that read entries. */
export const readRoutes = needing('logged in', {
  'GET /content-manager/collection-types/:uid': list,
  'GET /content-manager/collection-types/:uid/:id': read,
  'GET /content-manager/single-types/:uid': readSingle,
});

/** Returns the type in the path. Throws a ForbiddenError for one that the panel does not show, as for one without rights. */
export function typeOf({ request, content }: Pick<PanelCall, 'request' | 'content'>, kind?: ContentType['kind']): ContentType {
  const { registry } = content.bind;
  const type = registry.types.get(request.params['uid'] ?? '');
  if (type === undefined || !shownTypes(registry).includes(type)) throw forbiddenError();
  if (kind !== undefined && type.kind !== kind) throw forbiddenError();
  return type;
}

/** Returns the entry of a collection type that the path names. */
export const keyOf = (call: PanelCall): EntryKey => ({ type: typeOf(call, 'collectionType'), id: idOf(call) });

async function list(call: PanelCall): Promise<Answer> {
  const type = typeOf(call);
  const context = contentFor(call, 'read', type);
  const query = parseListQuery(parametersOf(call), context.bind);
  const page = await findMany(
    type,
    { ...query, populate: populateRows(type, query.filter, countedParts(context.bind)) },
    context,
  );
  const drafts = await withDraftBeside(type, page.entries, context);
  const rows = showPermitted(page.entries, type, call, context);
  const results = drafts.size === 0 ? rows : rows.map((row) => ({ ...row, [draftMark]: drafts.has(row['id']) }));
  return { body: { results, pagination: paginationOf(page) } };
}

/** The key of a row that says whether a draft is beside the entry, which has the state of the published one. No attribute has this name. */
const draftMark = '__hasDraft';

async function read(call: PanelCall): Promise<Answer> {
  const type = typeOf(call);
  return { body: await showEntry(type, idOf(call), { call, form: 'entry' }) };
}

/** How an entry is shown, and to whom. */
interface Showing {
  readonly call: PanelCall;
  readonly form: EntryForm;
}

/** Returns an entry as it is shown, with a draft beside it as a draft. Throws the errors of `findEntry`. */
export async function showEntry(type: ContentType, id: number, { call, form }: Showing): Promise<Values> {
  const own = await callOnShownEntry({ type, id }, call);
  const { entry, context } = await findEntry({ type, id }, { call: own, action: 'read' }, (bind) => entryQuery(type, form, bind));
  const [shown = {}] = showPermitted([entry], type, own, context);
  // The panel offers to publish what it takes for a draft.
  return (await hasDraft({ type, id }, context)) ? { ...shown, publishedAt: null } : shown;
}

async function readSingle(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'singleType');
  const context = contentFor(call, 'read', type);
  const id = await findSingle(type, call, context);
  if (id === null) throw notFoundError();
  return { body: await showEntry(type, id, { call, form: 'whole' }) };
}

/** Returns the id of the entry of a single type in the wanted locale, as a draft or published; null if there is none. */
export async function findSingle(type: ContentType, call: PanelCall, context: ContentContext): Promise<number | null> {
  const { locale } = parametersOf(call);
  const query = { ...idQuery, locale: typeof locale === 'string' ? locale : null, publicationState: 'preview' as const };
  const { entries } = await findMany(type, { ...query, pagination: first, withTotal: false }, context);
  return entries[0] === undefined ? null : Number(entries[0].document['_id']);
}

const first = { kind: 'page', page: 1, pageSize: 1, withCount: false } as const;
