import type { Document } from 'mongodb';
import { meetsCondition } from '../query/meets-condition.js';
import type { BoundSource, MorphChild } from '../query/plan.js';
import { dottedPath } from '../schema/attribute-places.js';
import type { LinkPath } from '../schema/link-paths.js';
import { compileCondition, type Resolved } from './compile-condition.js';
import { compileProjection } from './compile-page.js';
import { growNodes, partsOf, type Growing, type PendingLevel } from './grow-tree.js';
import { linkedIds } from './links.js';
import type { Loaded } from './loaded.js';

/** Compiles the query for the entries of a source that link to the holders, themselves or in their components. */
export function compileSource(
  child: MorphChild,
  { holder, owner, paths, condition }: BoundSource,
  holders: readonly Growing[],
  resolved: Resolved,
): { readonly collection: string; readonly pipeline: readonly Document[] } {
  const ids = [...new Set(holders.map(({ document }) => document['_id'] as unknown))];
  const links = { $or: paths.map((path) => ({ [dottedPath(path)]: { $in: ids } })) };
  const demanded = holder === owner ? (child.conditions.get(owner.uid) ?? null) : condition;
  const selection = holder === owner ? child.selections.get(owner.uid) : undefined;
  const projection = {
    _id: 1,
    ...(selection !== undefined && compileProjection(selection)),
    ...Object.fromEntries(paths.map(({ steps: [step], attribute }) => [step?.name ?? attribute.name, 1])),
  };
  const $match = demanded === null ? links : { $and: [links, compileCondition(demanded, resolved)] };
  return { collection: owner.collection, pipeline: [{ $match }, { $sort: { _id: 1 } }, { $project: projection }] };
}

/** The rows that a source came to. */
export interface SourceRows {
  readonly source: BoundSource;
  readonly rows: readonly Document[];
}

/** Finds what links to an entry: other entries, and components inside them, once for each link. */
export function indexSources(
  child: MorphChild,
  results: readonly SourceRows[],
  next: PendingLevel,
): (holder: Document) => readonly Loaded[] {
  const found = new Map<unknown, Loaded[]>();
  for (const { source, rows } of results) {
    const selection = child.selections.get(source.holder.uid);
    if (selection === undefined) continue;
    const links = shownLinks(child, source, rows);
    const nodes = growNodes(
      selection,
      links.map(({ part }) => part),
      next,
    );
    for (const [index, { id }] of links.entries()) {
      const list = found.get(id) ?? [];
      list.push(...nodes.slice(index, index + 1));
      found.set(id, list);
    }
  }
  return (holder) => found.get(holder['_id']) ?? none;
}

const none: readonly Loaded[] = [];

interface PartLink {
  /** The entry or component that has the link. */
  readonly part: Document;
  readonly id: unknown;
}

/** Entries have met their condition in the database, components have not. */
function shownLinks({ conditions }: MorphChild, { holder, owner, paths }: BoundSource, rows: readonly Document[]): PartLink[] {
  const links = rows.flatMap((row) => paths.flatMap((path) => linksAt(row, path)));
  const condition = holder === owner ? null : (conditions.get(holder.uid) ?? null);
  return condition === null ? links : links.filter(({ part }) => meetsCondition(condition, part));
}

function linksAt(row: Document, { steps, attribute }: LinkPath): PartLink[] {
  let parts: readonly Document[] = [row];
  for (const { name, zone } of steps)
    parts = parts.flatMap((part) => partsOf(part[name])).filter((part) => zone === null || part['__component'] === zone);
  return parts.flatMap((part) => linkedIds(part, attribute.name).map((id) => ({ part, id })));
}
