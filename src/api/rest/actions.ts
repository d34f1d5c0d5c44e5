import { createLocalization } from '#content/create-localization.js';
import { create } from '#content/create.js';
import { inStatusOf } from '#content/drafts.js';
import { findMany } from '#content/find-many.js';
import { findOne, findSingle, findSingleForWrite } from '#content/find-one.js';
import type { ContentContext } from '#content/content-context.js';
import type { EntryKey, Precondition, Status } from '#content/meet-precondition.js';
import { refuseOrLog, unreadNames } from '#content/refuse-or-log.js';
import { remove } from '#content/remove.js';
import { removeSingle, updateSingle } from '#content/single-type.js';
import { type LoadedEntry, versionOf } from '#store/form/loaded.js';
import { update } from '#content/update.js';
import { notFoundError, validationError } from '#base/errors.js';
import { preconditionOf, refusePreconditions } from '#http/preconditions.js';
import { idOf } from '#http/route-request.js';
import type { Answer, RouteCall } from '#http/route.js';
import { emptyQuery, fieldOf, type Pagination, type Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord } from '#base/values.js';
import { type ReceivedEntry, withReceivedEntry, type WriteEntry, writeWithFiles, writtenBody } from './entry-files.js';
import { answerList } from './answer-list.js';
import { envelopeEntries, envelopeEntry, flatEntry, type Json } from './envelope.js';
import { inStatus, type QueryCache, refuseStatus, statusOf, writtenStatus } from './read-query.js';
import { requiresIfMatch } from './type-options.js';

/** A request for entries of a content type. */
export interface ActionInput extends RouteCall {
  readonly type: ContentType;
  readonly queries: Pick<QueryCache, 'parse' | 'parseEntry'>;
  /** The multipart body; absent if the request has another one. */
  readonly received?: ReceivedEntry;
}

/** The handler of a method on a path. `name` is the required action. `run` returns null if there is no such entry. */
export interface Action {
  readonly name: string;
  /** Whether it reads a list, for which `explain=true` and cursors are honoured. */
  readonly isList?: true;
  /** Whether the body may contain files. */
  readonly receives?: true;
  /** The name of its description in the OpenAPI document; that of the action by default. */
  readonly describedAs?: 'count' | 'findBy';
  /** Whether it changes an entry, so that preconditions are honoured. */
  readonly changes?: true;
  readonly run: (input: ActionInput) => Promise<ShownEntry | null>;
}

/** The body of an answer, and the version of the entry in it. */
type ShownEntry = Pick<Answer, 'version'> & { readonly body: Json };

/** The actions of a path by method, in the order of the Allow header. */
export type Actions = Readonly<Record<string, Action>>;

const queryOf = (input: ActionInput): Query => inStatus(input.queries.parseEntry(input.request.query), statusIn(input));
const listQueryOf = (input: ActionInput): Query => inStatus(input.queries.parse(input.request.query), statusIn(input));

const statusIn = ({ request, type }: ActionInput): Status | null => statusOf(request.query, type);

/** Returns `data` of the body. Throws a ValidationError if it is not an object. An array is returned and refused later. */
function dataOf({ request: { body }, content }: ActionInput): unknown {
  const data = isRecord(body) ? body['data'] : undefined;
  if (!isRecord(body) || typeof data !== 'object' || data === null)
    throw validationError('Missing "data" payload in the request body');
  refuseOrLog(unreadNames(Object.keys(body), writtenBody), content);
  return data;
}

/** Returns what is shown of an entry; null if there is none. */
export const inEnvelope = (entry: LoadedEntry | null, content: ContentContext): ShownEntry | null =>
  entry === null ? null : { version: versionOf(entry), body: envelopeEntry(entry, content) };

/** Returns what a write of an entry demands of it, by its headers. `mayCreate`: whether it creates the entry if there is none. */
const demandOf = ({ request, type }: ActionInput, mayCreate = false): Precondition =>
  preconditionOf(request.headers, { changes: true, mayCreate, isRequired: requiresIfMatch(type) });

const statusKey = ({ request, type, received }: ActionInput): Pick<EntryKey, 'status'> =>
  writtenStatus(request.query, type, (received?.files.length ?? 0) > 0);

/** Writes an entry from a JSON body, or from a multipart body with files. Returns the entry as the query selects it. */
async function writeEntry(input: ActionInput, write: WriteEntry): Promise<ShownEntry | null> {
  const { received, type, content } = input;
  const query = queryOf(input);
  const written =
    received === undefined
      ? await write(dataOf(input), query, content)
      : await writeWithFiles({ received, type, query, write }, content);
  return inEnvelope(written, content);
}

/** Runs an action with the multipart body of its request, if it has one. The query is checked before files are received. */
export function receiving<Result>(
  action: Action,
  input: ActionInput,
  run: (input: ActionInput) => Promise<Result>,
): Promise<Result> {
  const hasFiles = action.receives === true && input.running.media !== null && input.request.readMultipart !== null;
  if (!hasFiles) return run(input);
  checkQuery(input);
  return withReceivedEntry(input, (received) => run({ ...input, received }));
}

const find: Action = {
  name: 'find',
  isList: true,
  run: async (input) => ({ body: await answerList(input.type, listQueryOf(input), input) }),
};

const findById: Action = {
  name: 'findOne',
  run: async (input) => inEnvelope(await findOne(input.type, idOf(input), queryOf(input), input.content), input.content),
};

const createEntry: Action = {
  name: 'create',
  receives: true,
  run: (input) => {
    refusePreconditions(input.request.headers);
    return writeEntry(input, (data, query, content) => create(input.type, inStatusOf(data, statusIn(input)), query, content));
  },
};

const updateById: Action = {
  name: 'update',
  receives: true,
  changes: true,
  run: (input) => {
    const key = { type: input.type, id: idOf(input), ...demandOf(input), ...statusKey(input) };
    return writeEntry(input, (data, query, content) => update(key, { data, query }, content));
  },
};

const deleteById: Action = {
  name: 'delete',
  changes: true,
  run: async (input) => {
    refuseStatus(input.request.query, input.type);
    const key = { type: input.type, id: idOf(input), ...demandOf(input) };
    return inEnvelope(await remove(key, queryOf(input), input.content), input.content);
  },
};

/** Throws a ValidationError for a query string that other requests for one entry refuse, although it has no effect here. */
const checkQuery = (input: ActionInput): void => void bindEntrySelection(queryOf(input), input.type, input.content.bind);

/**
 * Creates a localization. Body and answer have no envelope, except that a multipart body has JSON in `data`. As in Strapi v4 the
 * answer contains the other localizations, independent of the query string.
 */
const localize: Action = {
  name: 'createLocalization',
  receives: true,
  run: async (input) => {
    const { type, request, received, content } = input;
    refusePreconditions(request.headers);
    checkQuery(input);
    const id = type.kind === 'singleType' ? await singleId(input) : idOf(input);
    const write: WriteEntry = (data, query, inner) => createLocalization({ type, id }, { data, query }, inner);
    const entry = await (received === undefined
      ? write(request.body ?? {}, withLocalizations, content)
      : writeWithFiles({ received, type, query: withLocalizations, write }, content));
    return entry === null ? null : { version: versionOf(entry), body: flatEntry(entry, content) };
  },
};

const withLocalizations: Query = { ...emptyQuery, populate: { all: false, fields: [fieldOf('localizations')] } };

async function singleId({ type, content }: ActionInput): Promise<number> {
  const stored = await findSingleForWrite(type, { ...emptyQuery, locale: 'all' }, content);
  if (stored === null) throw notFoundError('Entity not found');
  return Number(stored.document['_id']);
}

const everything: Pagination = { kind: 'offset', start: 0, limit: -1, withCount: false };

/** Finds the entry of a single type. `locale=all` returns a list of all its localizations. */
const findOnly: Action = {
  name: 'find',
  run: async (input) => {
    const query = queryOf(input);
    if (query.locale !== 'all' || !input.type.localized)
      return inEnvelope(await findSingle(input.type, query, input.content), input.content);
    const all = { ...query, pagination: everything, withTotal: false };
    return { body: envelopeEntries((await findMany(input.type, all, input.content)).entries, input.content) };
  },
};

const updateOnly: Action = {
  name: 'update',
  receives: true,
  changes: true,
  run: (input) => {
    const key = { type: input.type, ...demandOf(input, true), ...statusKey(input) };
    return writeEntry(input, (data, query, content) => updateSingle(key, { data, query }, content));
  },
};

const deleteOnly: Action = {
  name: 'delete',
  changes: true,
  run: async (input) => {
    refuseStatus(input.request.query, input.type);
    checkQuery(input);
    const key = { type: input.type, ...demandOf(input) };
    return inEnvelope(await removeSingle(key, queryOf(input), input.content), input.content);
  },
};

/** Actions of collection types by path. */
export const collectionActions = {
  list: { GET: find, POST: createEntry },
  entry: { GET: findById, PUT: updateById, DELETE: deleteById },
  localizations: { POST: localize },
} as const satisfies Record<string, Actions>;

/** Actions of single types by path. */
export const singleActions = {
  entry: { GET: findOnly, PUT: updateOnly, DELETE: deleteOnly },
  localizations: { POST: localize },
} as const satisfies Record<string, Actions>;
