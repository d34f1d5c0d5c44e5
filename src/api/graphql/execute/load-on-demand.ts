import { isDeepStrictEqual } from 'node:util';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { memoize } from '#base/caches.js';
import { findMany } from '#content/find-many.js';
import { withoutHooks, type ContentContext } from '#content/content-context.js';
import type { ApiError } from '#base/errors.js';
import { comparing, emptyQuery, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { readingContext } from '../selection/read-root.js';
import { readChild, type Structured } from '../selection/read-selection.js';
import type { TypeSelection } from '../selection/reading-context.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { Row } from '../../code/rows.js';
import { createRowShaper } from '../results.js';

/** A relation, component or zone of entries that no plan has loaded. */
interface DemandedField {
  readonly owner: ContentType;
  readonly attribute: Structured;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: GraphqlContext;
  readonly info: GraphQLResolveInfo;
}

/**
 * Reads a relation, component or zone of an entry that an extension returned, and that no plan has loaded. Combines reads of the
 * same field of the query in one turn of the event loop. Returns undefined for entries that do not exist. Throws an error for
 * invalid arguments.
 */
export async function loadOnDemand(id: number, field: DemandedField): Promise<unknown> {
  const batch = batchOf(field);
  batch.ids.add(id);
  return (await batch.rows).get(id)?.[field.attribute.name];
}

interface Batch {
  readonly field: DemandedField;
  readonly ids: Set<number>;
  readonly rows: Promise<ReadonlyMap<number, Row>>;
}

/**
 * Open batches by operation. The operation is identified by its map of failures, which stays the same if its context is wrapped.
 */
const openBatches = memoize<GraphqlContext['failures'], Set<Batch>>(() => new Set());

function batchOf(field: DemandedField): Batch {
  const batches = openBatches(field.context.failures);
  for (const batch of batches) if (isSame(batch.field, field)) return batch;
  const ids = new Set<number>();
  const rows = turnEnd().then(() => {
    batches.delete(batch);
    return readRows([...ids], field);
  });
  const batch: Batch = { field, ids, rows };
  batches.add(batch);
  return batch;
}

const isSame = (one: DemandedField, other: DemandedField): boolean =>
  one.info.fieldNodes[0] === other.info.fieldNodes[0] &&
  one.context.content.bind.access === other.context.content.bind.access &&
  one.attribute === other.attribute &&
  isDeepStrictEqual(one.args, other.args);

/** Resolves when all resolvers of the current turn have requested their entries. */
const turnEnd = (): Promise<void> =>
  Promise.resolve().then(
    () =>
      new Promise((resolve) => {
        process.nextTick(resolve);
      }),
  );

async function readRows(
  ids: readonly number[],
  { owner, attribute, args, context, info }: DemandedField,
): Promise<Map<number, Row>> {
  const failures = new Map<FieldNode, ApiError>();
  const [node] = info.fieldNodes;
  const reading = {
    ...readingContext(context, info),
    failures,
    ...(node !== undefined && { argumentOverrides: new Map([[node, args]]) }),
  };
  const fields = readChild(attribute, info.fieldNodes, { owner, around: [], alias: attribute.name }, reading);
  const failure = node === undefined ? undefined : failures.get(node);
  if (failure !== undefined) throw failure;
  for (const [failed, error] of failures) context.failures.set(failed, error);
  return readById(owner, ids, { fields: ['id'], populate: { all: false, fields } }, context);
}

/** Returns entries by id, in any state and locale, and the drafts beside them in their place if these are asked for. */
export async function readById(
  type: ContentType,
  ids: readonly number[],
  selected: TypeSelection & Pick<Query, 'showsDrafts'>,
  context: GraphqlContext,
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map();
  const { entries } = await findMany(type, { ...entriesQuery(ids), ...selected }, unlimited(context.content));
  const shape = createRowShaper(context);
  return new Map(entries.map((entry) => [Number(entry.document['_id']), shape(entry)]));
}

/** Returns a query of entries by id, in any state and locale. */
const entriesQuery = (ids: readonly number[]): Query => ({
  ...emptyQuery,
  filter: comparing('id', 'in', ids),
  fields: ['id'],
  pagination: { kind: 'offset', start: 0, limit: ids.length, withCount: false },
  locale: 'all',
  publicationState: 'preview',
  withTotal: false,
});

const unlimited = (content: ContentContext): ContentContext => ({
  ...withoutHooks(content),
  bind: { ...content.bind, settings: { ...content.bind.settings, maxLimit: null } },
});
