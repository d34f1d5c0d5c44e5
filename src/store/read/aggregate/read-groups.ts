import type { Document } from 'mongodb';
import {
  type Aggregation,
  countPath,
  type Figure,
  figurePath,
  type GroupKey,
  keyPath,
  type LinkSource,
} from '#model/query/aggregate/aggregation.js';
import type { Plan } from '#model/query/plan.js';
import { asScanned, groupsWay } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { nothing } from '../compile-condition.js';
import { explainTimeout } from '../explain-timeout.js';
import { compileJoinedCondition, joinStages } from '../join-related.js';
import { resolveOrJoin } from '../resolve-related.js';
import type { PageContext } from '../ways/way.js';
import { compileGroups, type CompiledLinks, fieldPath } from './compile-groups.js';
import { compileLink, Visibles } from './compile-links.js';

/** The values of a group as they are stored, in the order of its keys and figures. */
export interface Group {
  readonly keys: readonly unknown[];
  /** The attribute of the related entry of each key; undefined for other keys. */
  readonly fields: readonly unknown[];
  readonly count: number;
  readonly figures: readonly unknown[];
}

/**
 * Returns the groups of each grouping in its order. Sends one command for all groupings of the same entries, one more for each condition
 * on related entries, and one for each type whose entries may be hidden. Throws a ValidationError if the time limit is exceeded because
 * an index is missing.
 */
export async function readGroups(
  groupings: readonly Aggregation[],
  context: PageContext,
): Promise<readonly (readonly Group[])[]> {
  const visibles = new Visibles(context.database);
  const plans = [...new Set(groupings.map(({ entries }) => entries))];
  const read = async (entries: Plan) => {
    const own = groupings.filter((grouping) => grouping.entries === entries);
    const documentLists = await readOfPlan(entries, own, { ...context, visibles });
    return own.map(
      (grouping, index) => [grouping, (documentLists[index] ?? []).map((document) => groupOf(document, grouping))] as const,
    );
  };
  const groups = new Map((await Promise.all(plans.map(read))).flat());
  return groupings.map((grouping) => groups.get(grouping) ?? []);
}

interface GroupContext extends PageContext {
  readonly visibles: Visibles;
}

/** Returns the documents of groups of the same entries. */
async function readOfPlan(
  entries: Plan,
  groupings: readonly Aggregation[],
  context: GroupContext,
): Promise<readonly (readonly Document[])[]> {
  const begun = performance.now();
  const documentLists = await readDocuments(entries, groupings, context).catch(explainTimeout(entries, context));
  const { database, registry } = context;
  database.trace?.onRead(groupsWay, entries, { database, registry, ms: performance.now() - begun });
  return documentLists;
}

async function readDocuments(
  { type, condition }: Plan,
  groupings: readonly Aggregation[],
  { database, visibles }: GroupContext,
): Promise<readonly (readonly Document[])[]> {
  database.reads?.collections.push(type.collection);
  const [{ resolved, joins }, ...links] = await Promise.all([
    resolveOrJoin(condition, database),
    ...groupings.map((grouping) => compileLinks(grouping, visibles)),
  ]);
  const { match, before } = compileJoinedCondition(condition, resolved, joins);
  if (match === nothing) return [];
  const compiled = groupings.map((grouping, index) => compileGroups(grouping, links[index] ?? new Map()));
  const [only = []] = compiled;
  const facets = Object.fromEntries(compiled.map((stages, index) => [String(index), stages]));
  const pipeline = [{ $match: before }, ...joinStages(joins, match), ...(compiled.length === 1 ? only : [{ $facet: facets }])];
  const documents = await readAll(asScanned(database), { aggregate: type.collection, pipeline, allowDiskUse: true });
  if (compiled.length === 1) return [documents];
  return compiled.map((_, index) => (documents[0]?.[String(index)] ?? []) as readonly Document[]); // the facets of the pipeline
}

async function compileLinks({ keys, figures }: Aggregation, visibles: Visibles): Promise<CompiledLinks> {
  const sources: readonly (readonly [GroupKey | Figure, LinkSource])[] = [
    ...figures.flatMap((figure) => (figure.source.kind === 'link' ? [[figure, figure.source] as const] : [])),
    ...keys.flatMap((key) => (key.kind === 'link' ? [[key, key] as const] : [])),
  ];
  const compiled = sources.map(
    async ([owner, source], index) => [owner, await compileLink(source, `_link${String(index)}`, visibles)] as const,
  );
  return new Map(await Promise.all(compiled));
}

function groupOf(document: Document, { keys, figures }: Aggregation): Group {
  const id = (document['_id'] ?? {}) as Document;
  return {
    keys: keys.map((_, index) => id[keyPath(index)] as unknown),
    fields: keys.map((_, index) => document[fieldPath(index)] as unknown),
    count: Number(document[countPath]),
    figures: figures.map((_, index) => document[figurePath(index)] as unknown),
  };
}
