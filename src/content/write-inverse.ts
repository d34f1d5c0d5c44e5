import {
  linkOne,
  type Owner,
  readLinking,
  unlinkMany,
  unlinkOne,
  linkOneMorph,
  type Ranked,
} from '../mongo/write/link-changes.js';
import { oneOf, otherThan } from '../mongo/matches.js';
import { bulkWrite } from '../mongo/write/write-entries.js';
import type { ContentType } from '../schema/content-type.js';
import { applyLinkInput } from '../schema/parse-link-input.js';
import { tooManyLinks, type ExclusiveLinks, type InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import { keepingRules } from './row-rules.js';
import { nextRank } from './build-parts.js';

/**
 * Writes links that are stored with the related entries: those that leave lose this entry, those that come get it with a rank,
 * those that move get a new rank. One read and one command; runs inside a transaction.
 */
export async function writeInverse(owner: Owner, links: InverseLinks, context: ContentContext): Promise<void> {
  if (links.link.storage.kind === 'morph') return writeMorphInverse(owner, links, context);
  const { link, input } = links;
  const target = context.bind.registry.types.get(link.target);
  const other = link.storage.kind === 'inverse' ? target?.attributes.get(link.storage.field) : undefined;
  if (target === undefined || other?.kind !== 'relation') return;
  const stored = await readLinking(owner, target, other, context.store.database);
  const ids = applyLinkInput(
    stored.map(({ id }) => id),
    input,
  );
  const wanted = link.many ? ids : ids.slice(-1);
  const ranks = planRanks(wanted.map((id) => stored.find((ranked) => ranked.id === id) ?? { id, rank: null }));
  const gone = stored.filter(({ id }) => !wanted.includes(id));
  const operations = [
    ...gone.map(({ id }) => unlinkOne(other, id, owner)),
    ...[...ranks].map(([id, rank]) => linkOne(other, id, owner, rank)),
  ];
  const come = wanted.filter((id) => stored.every((ranked) => ranked.id !== id));
  const changed = [...gone.map(({ id }) => id), ...come];
  await keepingRules({ type: target, names: [other.name], filter: { _id: oneOf(changed) } }, context, async () => {
    const matched = await bulkWrite(context.store, target.collection, operations);
    if (other.many && matched < operations.length) throw tooManyLinks(other);
  });
}

/** Takes the target of a one-to-one relation from any other entry that has it. */
export async function writeExclusive(
  id: number,
  type: ContentType,
  { link, target }: ExclusiveLinks,
  context: ContentContext,
): Promise<void> {
  const filter = { [link.name]: target, _id: otherThan(id) };
  await keepingRules({ type, names: [link.name], filter }, context, async () => {
    await bulkWrite(context.store, type.collection, [unlinkMany(link, { type, id: target }, filter)]);
  });
}

/**
 * Writes a morphOne or morphMany relation: its links are in the polymorphic attribute of the related entries. A polymorphic to-one
 * attribute links to what was written last. One read and one command, inside a transaction.
 */
async function writeMorphInverse(owner: Owner, { link, input }: InverseLinks, context: ContentContext): Promise<void> {
  const target = context.bind.registry.types.get(link.target);
  const other = link.storage.kind === 'morph' ? target?.attributes.get(link.storage.field) : undefined;
  if (target === undefined || other?.kind !== 'morph') return;
  const stored = await readLinking(owner, target, other, context.store.database);
  const ids = applyLinkInput(
    stored.map(({ id }) => id),
    input,
  );
  const wanted = link.many ? ids : ids.slice(-1);
  const ranks = planRanks(wanted.map((id) => stored.find((ranked) => ranked.id === id) ?? { id, rank: null }));
  const gone = stored.filter(({ id }) => !wanted.includes(id));
  await bulkWrite(context.store, target.collection, [
    ...gone.map(({ id }) => unlinkOne(other, id, owner)),
    ...[...ranks].flatMap(([id, rank]) => linkOneMorph(other, id, owner, rank)),
  ]);
}

/**
 * The ranks that put a list into the given order, for those entries alone whose rank must change: entries that stand in order
 * keep theirs, moved ones get one in between, and only where nothing fits in between is everything ranked anew.
 */
function planRanks(ordered: readonly Ranked[]): ReadonlyMap<number, number> {
  const kept = longestRisingRun(ordered);
  const changed = new Map<number, number>();
  let below = 0;
  for (let start = 0; start < ordered.length;) {
    const entry = ordered[start];
    if (entry === undefined) break;
    if (kept.has(entry.id)) {
      below = entry.rank ?? below;
      start++;
      continue;
    }
    let end = start;
    while (end < ordered.length && !kept.has(ordered[end]?.id ?? 0)) end++;
    const above = ordered[end]?.rank ?? null;
    const ranks = ranksBetween(below, above, end - start);
    if (ranks === null) return rankAnew(ordered);
    for (const [offset, rank] of ranks.entries()) changed.set(ordered[start + offset]?.id ?? 0, rank);
    start = end;
  }
  return changed;
}

/** The ids of the longest part of the list whose ranks already rise. */
function longestRisingRun(ordered: readonly Ranked[]): ReadonlySet<number> {
  const ends: { readonly rank: number; readonly index: number }[] = [];
  const before = new Map<number, number>();
  for (const [index, { rank }] of ordered.entries()) {
    if (rank === null) continue;
    let at = ends.findIndex((end) => end.rank >= rank);
    if (at === -1) at = ends.length;
    const previous = ends[at - 1];
    if (previous !== undefined) before.set(index, previous.index);
    ends[at] = { rank, index };
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1)?.index; index !== undefined; index = before.get(index)) kept.add(ordered[index]?.id ?? 0);
  return kept;
}

function ranksBetween(below: number, above: number | null, count: number): number[] | null {
  if (above === null) return Array.from({ length: count }, () => nextRank(below));
  const step = (above - below) / (count + 1);
  const ranks = Array.from({ length: count }, (_, index) => below + step * (index + 1));
  const fits = step > 0 && ranks.every((rank, index) => rank > (ranks[index - 1] ?? below) && rank < above);
  return fits ? ranks : null;
}

const rankAnew = (ordered: readonly Ranked[]): ReadonlyMap<number, number> => new Map(ordered.map(({ id }) => [id, nextRank()]));
