import { type Document, MongoServerError } from 'mongodb';

/**
 * Returns whether a sort failed because a document has lists in two of its keys. They are values of JSON, or do not fit their
 * attributes.
 */
export const sortsTwoLists = (error: unknown): boolean =>
  error instanceof MongoServerError && error.message.includes('parallel arrays');

/**
 * Returns a find or aggregate command that sorts lists as null. It sorts without an index, so that it is used only after
 * `sortsTwoLists`.
 */
export function withoutLists(command: Document): Document {
  if (command['find'] === undefined) return { ...command, pipeline: stagesOf(command['pipeline'] as readonly Document[]) }; // an aggregate
  const { find, filter, sort, skip, limit, projection, collation } = command;
  const stages = { $match: filter, $sort: sort, $skip: skip, $limit: limit, $project: projection };
  const entries = Object.entries(stages).filter(([, value]) => value !== undefined);
  const pipeline = stagesOf(entries.map(([name, value]) => ({ [name]: value as unknown })));
  const order = collation === undefined ? {} : { collation: collation as unknown };
  return { aggregate: find as unknown, pipeline, allowDiskUse: true, ...order };
}

/** Returns the stages of a pipeline, in which those that sort, at any depth, are replaced. */
const stagesOf = (stages: readonly Document[]): readonly Document[] =>
  stages.flatMap((stage) => Object.entries(stage).flatMap(([name, value]) => stageOf(name, value as Document)));

function stageOf(name: string, value: Document): readonly Document[] {
  if (name === '$sort') return sortStages(value);
  const inner = name === '$lookup' || name === '$unionWith' ? (value['pipeline'] as readonly Document[] | undefined) : undefined;
  return [{ [name]: inner === undefined ? value : { ...value, pipeline: stagesOf(inner) } }];
}

/** Returns stages that sort by a copy of each key; the score of a full-text search is not a number, and needs none. */
function sortStages(sort: Document): readonly Document[] {
  const keys = Object.entries(sort).map(([path, order], index) => ({
    path,
    order: order as unknown,
    copy: `_key${String(index)}`,
  }));
  const copied = keys.filter(({ order }) => typeof order === 'number');
  const order = keys.map((key) => [copied.includes(key) ? key.copy : key.path, key.order] as const);
  return [
    { $set: Object.fromEntries(copied.map(({ path, copy }) => [copy, orNull(`$${path}`)])) },
    { $sort: Object.fromEntries(order) },
    { $unset: copied.map(({ copy }) => copy) },
  ];
}

const orNull = (value: string): Document => ({ $cond: [{ $isArray: value }, null, value] });
