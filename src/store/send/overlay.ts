import type { Document } from 'mongodb';

/** How a read sees the documents of a collection: changed by stages. */
interface OverlayContext {
  readonly stages: readonly Document[];
  /** Matches the documents that the stages may change. */
  readonly changed: Document;
  /** The fields that the stages never change. */
  readonly fixed: ReadonlySet<string>;
}

/** How a read sees the documents of some collections, by name; null for those that it sees as they are stored. */
export type Overlay = ReadonlyMap<string, OverlayContext | null>;

const comment = 'as stored';

/** A stage of a pipeline whose documents are seen as they are stored, whatever an overlay says. It is not sent. */
export const noOverlayStage: Document = { $match: { $comment: comment } };

const isAsStored = ({ $match: match }: Document): boolean => (match as Document | undefined)?.['$comment'] === comment;

/** Returns what an overlay says about the documents of a pipeline. */
const seenIn = (pipeline: readonly Document[], collection: unknown, overlay: Overlay): OverlayContext | null =>
  pipeline.some(isAsStored) ? null : (overlay.get(String(collection)) ?? null);

/**
 * Returns a read command that sees the documents of collections as an overlay says, in filters, sorts and joins too. A find that it
 * concerns becomes an aggregate. The index that a command names is not used then.
 */
export function overlaid(command: Document, overlay: Overlay | undefined): Document {
  if (overlay === undefined) return command;
  const { find, aggregate, filter, projection, sort, skip, limit, pipeline, batchSize, ...given } = command;
  const others = Object.fromEntries(
    Object.entries(given).filter(([name]) => name !== 'hint' && name !== 'singleBatch'),
  ) as Document;
  if (aggregate !== undefined) {
    const stages = seenPipeline(String(aggregate), pipeline as readonly Document[], overlay);
    return isChanged(aggregate, overlay) ? { aggregate, pipeline: stages, ...others } : { ...command, pipeline: stages };
  }
  if (!isChanged(find, overlay)) return command;
  const parts = { $match: filter, $sort: sort, $skip: skip, $limit: limit, $project: projection };
  const stages = Object.entries(parts).flatMap(([name, value]) => (isGiven(value) ? [{ [name]: value }] : []));
  const size = batchSize !== undefined && { cursor: { batchSize: batchSize as unknown } };
  return { aggregate: find as unknown, pipeline: seenPipeline(String(find), stages, overlay), ...others, ...size };
}

const isChanged = (collection: unknown, overlay: Overlay): boolean => (overlay.get(String(collection)) ?? null) !== null;

const isGiven = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Number(value ?? 0) > 0;

function seenPipeline(collection: string, pipeline: readonly Document[], overlay: Overlay): readonly Document[] {
  const stages = pipeline.filter((stage) => !isAsStored(stage)).map((stage) => seenStage(stage, overlay));
  const context = seenIn(pipeline, collection, overlay);
  if (context === null) return stages;
  const [first, ...rest] = stages;
  if (first !== undefined && '$geoNear' in first) return [first, ...context.stages, ...rest]; // it must be the first one
  const match = first?.['$match'] as Document | undefined;
  return [...(match === undefined ? [] : [{ $match: beforehand(match, context) }]), ...context.stages, ...stages];
}

/** Returns a match that an index can serve for all documents that may meet another one after the stages. */
function beforehand(match: Document, { changed, fixed }: OverlayContext): Document {
  const terms = termsOf(match);
  const isFixed = (term: Document): boolean => Object.keys(term).every((path) => fixed.has(path.split('.')[0] ?? ''));
  const others = terms.filter((term) => !isFixed(term));
  const matches = [...terms.filter(isFixed), ...(others.length === 0 ? [] : [{ $or: [changed, { $and: others }] }])];
  return matches.length === 0 ? {} : { $and: matches };
}

/** Returns the matches all of which a match demands. */
const termsOf = (match: Document): Document[] =>
  Object.entries(match).flatMap(([path, value]) =>
    path === '$and' ? (value as readonly Document[]).flatMap(termsOf) : [{ [path]: value as unknown }],
  );

function seenStage(stage: Document, overlay: Overlay): Document {
  const [[name = '', value] = []] = Object.entries(stage) as [string, Document][]; // a stage has one key
  switch (name) {
    case '$lookup':
      return { $lookup: seenLookup(value ?? {}, overlay) };
    case '$unionWith':
      return { $unionWith: { ...value, pipeline: seenPipeline(String(value?.['coll']), pipelineIn(value), overlay) } };
    case '$facet':
      return {
        $facet: Object.fromEntries(
          Object.entries(value ?? {}).map(([key, stages]) => [
            key,
            (stages as readonly Document[]).map((one) => seenStage(one, overlay)),
          ]),
        ),
      };
    default:
      return stage;
  }
}

const pipelineIn = (value: Document | undefined): readonly Document[] => (value?.['pipeline'] ?? []) as readonly Document[];

function seenLookup(lookup: Document, overlay: Overlay): Document {
  const { from, localField, foreignField, let: variables, ...others } = lookup;
  const stages = pipelineIn(lookup);
  const context = seenIn(stages, from, overlay);
  if (context === null) {
    const pipeline = seenPipeline('', stages, overlay);
    return stages.length === 0 ? lookup : { ...lookup, pipeline };
  }
  const pipeline = seenPipeline(String(from), stages, overlay);
  if (foreignField === undefined || context.fixed.has(String(foreignField))) return { ...lookup, pipeline };
  // The links that the stages change are compared after them.
  const linked = { $match: { $expr: sharesValue('$$localValue', `$${String(foreignField)}`) } };
  const own = { let: { ...(variables as Document | undefined), localValue: `$${String(localField)}` } };
  return {
    from: from as unknown,
    ...others,
    ...own,
    pipeline: [...context.stages, linked, ...stages.map((one) => seenStage(one, overlay))],
  };
}

/** Returns an expression that is true if two values, or the elements of lists, have one in common that is not null. */
const sharesValue = (one: string, other: string): Document => ({
  $gt: [{ $size: { $setIntersection: [valuesOf(one), valuesOf(other)] } }, 0],
});

/** Returns an expression for the values at a path, also inside lists of components. */
const valuesOf = (path: string): Document => ({
  $setDifference: [flat(flat(listOf(path))), [null]],
});

const listOf = (value: string): Document => ({ $cond: [{ $isArray: [value] }, value, [value]] });

const flat = (list: Document): Document => ({
  $reduce: {
    input: list,
    initialValue: [],
    in: { $concatArrays: ['$$value', { $cond: [{ $isArray: ['$$this'] }, '$$this', [{ $ifNull: ['$$this', null] }]] }] },
  },
});
