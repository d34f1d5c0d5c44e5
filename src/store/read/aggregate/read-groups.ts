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
import { asScanned } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { nothing } from '../compile-condition.js';
import { explainTimeout } from '../explain-timeout.js';
import { compileJoined, joinStages } from '../join-related.js';
import { resolveOrJoin } from '../resolve-related.js';
import type { PageContext } from '../ways/way.js';
import { compileGroups, type CompiledLinks, fieldPath } from './compile-groups.js';
import { compileLink } from './compile-links.js';

/** The values of a group as they are stored, in the order of its keys and figures. */
export interface Group {
  readonly keys: readonly unknown[];
  /** The attribute of the related entry of each key; undefined for other keys. */
  readonly fields: readonly unknown[];
  readonly count: number;
  readonly figures: readonly unknown[];
}

/**
 * Returns the groups of entries in their order. Sends one command, one more for each condition on related entries, and one for each
 * relation of which entries may be hidden. Throws a ValidationError if the time limit is exceeded because an index is missing.
 */
export async function readGroups(aggregation: Aggregation, context: PageContext): Promise<readonly Group[]> {
  const { entries } = aggregation;
  const documents = await readDocuments(aggregation, context).catch(explainTimeout(entries, context));
  return documents.map((document) => groupOf(document, aggregation));
}

async function readDocuments(aggregation: Aggregation, { database }: PageContext): Promise<readonly Document[]> {
  const { condition, type } = aggregation.entries;
  database.reads?.collections.push(type.collection);
  const [{ resolved, joins }, links] = await Promise.all([
    resolveOrJoin(condition, database),
    compileLinks(aggregation, database),
  ]);
  const { match, before } = compileJoined(condition, resolved, joins);
  if (match === nothing) return [];
  const stages = [{ $match: before }, ...joinStages(joins, match), ...compileGroups(aggregation, links)];
  return readAll(asScanned(database), { aggregate: type.collection, pipeline: stages, allowDiskUse: true });
}

async function compileLinks({ keys, figures }: Aggregation, database: PageContext['database']): Promise<CompiledLinks> {
  const sources: readonly (readonly [GroupKey | Figure, LinkSource])[] = [
    ...figures.flatMap((figure) => (figure.source.kind === 'link' ? [[figure, figure.source] as const] : [])),
    ...keys.flatMap((key) => (key.kind === 'link' ? [[key, key] as const] : [])),
  ];
  const compiled = sources.map(
    async ([owner, source], index) => [owner, await compileLink(source, `_link${String(index)}`, database)] as const,
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
