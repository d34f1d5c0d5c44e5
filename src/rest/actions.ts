import { createLocalization } from '../content/create-localization.js';
import { create } from '../content/create.js';
import { findMany } from '../content/find-many.js';
import { findOne, findSingle, findSingleForWrite } from '../content/find-one.js';
import { type ContentContext, costsTooMuchLate, withoutBudget, withoutHooks } from '../content/content-context.js';
import { refuseOrTell } from '../content/refuse-or-tell.js';
import { remove } from '../content/remove.js';
import { removeSingle, updateSingle } from '../content/single-type.js';
import type { Loaded } from '../mongo/form/loaded.js';
import { update } from '../content/update.js';
import { unreadNames } from '../content/values-left-out.js';
import { notFoundError, validationError } from '../errors.js';
import { idOf } from '../http/route-request.js';
import type { RouteCall } from '../http/route.js';
import { emptyQuery, noPopulate, type Pagination, type Query } from '../query/ast.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import type { ContentType } from '../schema/content-type.js';
import { isRecord } from '../values.js';
import { hasFiles, type ReceivedEntry, withReceived, writeWithFiles, writtenBody } from './entry-files.js';
import { asksToExplain, explainList } from './explain-list.js';
import { envelopeEntries, envelopeEntry, envelopePage, flatEntry, type Json } from './envelope.js';
import type { QueryCache } from './query-cache.js';

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
  readonly run: (input: ActionInput) => Promise<Json | null>;
}

/** The actions of a path by method, in the order of the Allow header. */
export type Actions = Readonly<Record<string, Action>>;

const queryOf = ({ request, queries }: ActionInput): Query => queries.parseEntry(request.query);
const listQueryOf = ({ request, queries }: ActionInput): Query => queries.parse(request.query);

/** Returns `data` of the body. Throws a ValidationError if it is not an object. An array is returned and refused later. */
function dataOf({ request: { body }, content }: ActionInput): unknown {
  const data = isRecord(body) ? body['data'] : undefined;
  if (!isRecord(body) || typeof data !== 'object' || data === null)
    throw validationError('Missing "data" payload in the request body');
  refuseOrTell(unreadNames(Object.keys(body), writtenBody), content);
  return data;
}

const inEnvelope = (entry: Loaded | null, { content }: ActionInput): Json | null =>
  entry === null ? null : envelopeEntry(entry, content);

type WriteEntry = (data: unknown, query: Query, content: ContentContext) => Promise<Loaded | null>;

/** Writes an entry from a JSON body, or from a multipart body with files. Returns the entry as the query selects it. */
async function writeEntry(input: ActionInput, write: WriteEntry): Promise<Json | null> {
  const { received, type, content } = input;
  const query = queryOf(input);
  if (received === undefined) return inEnvelope(await write(dataOf(input), query, content), input);
  const bare = { ...query, fields: ['id'], populate: noPopulate };
  const id = await writeWithFiles({ received, type, content, write: (data, inner) => write(data, bare, inner) });
  return id === null ? null : inEnvelope(await findWritten(id, query, input), input);
}

/** Runs an action with the multipart body of its request, if it has one. The query is checked before files are received. */
export function receiving<Result>(
  action: Action,
  input: ActionInput,
  run: (input: ActionInput) => Promise<Result>,
): Promise<Result> {
  if (action.receives !== true || !hasFiles(input)) return run(input);
  checkQuery(input);
  return withReceived(input, (received) => run({ ...input, received }));
}

/** Reads an entry that was written with files, without populated relations if they exceed the budget. */
async function findWritten(id: number, query: Query, { type, content }: ActionInput): Promise<Loaded | null> {
  try {
    return await findOne(type, id, query, withoutHooks(content));
  } catch (error) {
    if (!costsTooMuchLate(error, content)) throw error;
    return findOne(type, id, { ...query, populate: noPopulate }, withoutBudget(withoutHooks(content)));
  }
}

const find: Action = {
  name: 'find',
  isList: true,
  run: async (input) =>
    asksToExplain(input.request.query)
      ? explainList(input.type, listQueryOf(input), input)
      : envelopePage(await findMany(input.type, listQueryOf(input), input.content), input.content),
};

const findById: Action = {
  name: 'findOne',
  run: async (input) => inEnvelope(await findOne(input.type, idOf(input), queryOf(input), input.content), input),
};

const createEntry: Action = {
  name: 'create',
  receives: true,
  run: (input) => writeEntry(input, (data, query, content) => create(input.type, data, query, content)),
};

const updateById: Action = {
  name: 'update',
  receives: true,
  run: (input) =>
    writeEntry(input, (data, query, content) => update({ type: input.type, id: idOf(input) }, { data, query }, content)),
};

const deleteById: Action = {
  name: 'delete',
  run: async (input) => inEnvelope(await remove(input.type, idOf(input), queryOf(input), input.content), input),
};

/** Throws a ValidationError for a query string that other requests for one entry refuse, although it has no effect here. */
const checkQuery = (input: ActionInput): void => void bindEntrySelection(queryOf(input), input.type, input.content.bind);

/**
 * Creates a localization. Body and answer have no envelope. As in Strapi v4 the answer contains the other localizations,
 * independent of the query string.
 */
const localize: Action = {
  name: 'createLocalization',
  run: async (input) => {
    const { type, request, content } = input;
    checkQuery(input);
    const id = type.kind === 'singleType' ? await singleId(input) : idOf(input);
    const write = { data: request.body ?? {}, query: withLocalizations };
    return flatEntry(await createLocalization({ type, id }, write, content), content);
  },
};

const localizations = {
  name: 'localizations',
  key: 'localizations',
  query: emptyQuery,
  countOnly: false,
  reversed: false,
  on: null,
};
const withLocalizations: Query = { ...emptyQuery, populate: { all: false, fields: [localizations] } };

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
      return inEnvelope(await findSingle(input.type, query, input.content), input);
    const all = { ...query, pagination: everything, withTotal: false };
    return envelopeEntries((await findMany(input.type, all, input.content)).entries, input.content);
  },
};

const updateOnly: Action = {
  name: 'update',
  receives: true,
  run: (input) => writeEntry(input, (data, query, content) => updateSingle(input.type, data, query, content)),
};

const deleteOnly: Action = {
  name: 'delete',
  run: async (input) => {
    checkQuery(input);
    return inEnvelope(await removeSingle(input.type, queryOf(input), input.content), input);
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
