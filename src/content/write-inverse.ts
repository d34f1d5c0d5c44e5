import { forbiddenError, namingPath, validationError } from '#base/errors.js';
import { type LinksTo, storedLinks } from '#store/write/link-changes.js';
import { is, type Match, matchesAll } from '#store/form/matches.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { applyLinkInput, namesAllItChanges, type LinkInput } from '#model/schema/apply-link-input.js';
import { maximumLinks } from '#model/schema/link-input.js';
import type { ContentType, LinkAttribute } from '#model/schema/content-type.js';
import { nextRank, tooManyLinks } from './build-parts.js';
import type { ExclusiveLinks, InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import type { EntryKey } from './meet-precondition.js';
import { hidesOne, keepingRules, ruleFilter } from './rules-on-writes.js';

/** The entry whose links are written. */
type Owner = Pick<EntryKey, 'type' | 'id'>;

/** A related entry with its rank in a list; null if it has none yet. */
type Ranked = Awaited<ReturnType<LinksTo['read']>>[number];

/**
 * Writes links that are stored with the related entries, polymorphic ones included: removes this entry from some, adds it to
 * others with a rank, and moves it by a new rank. Entries that the caller's rule hides keep their links. Returns whether the entry itself
 * was among those that were written. Sends one read and one write; runs inside a transaction. Throws a ForbiddenError if a hidden entry
 * holds the only link that is allowed, and a ValidationError if there are too many links.
 */
export async function writeInverse(owner: Owner, { link, input }: InverseLinks, context: ContentContext): Promise<boolean> {
  const links = linksOf(owner, link, context);
  if (links === null) return false;
  const { type, attribute } = links;
  const stored = await readStored(links, { link, input }, context);
  const { removed, ranks, added } = planLinks(stored, link, input);
  if (!link.many && added.length > 0) await refuseTakenTargets(type, links.match, context);
  const operations = [...removed.map(links.remove), ...[...ranks].flatMap(([id, rank]) => links.add(id, rank))];
  await keepingRules({ type, names: [attribute.name], filter: { _id: is.oneOf([...removed, ...added]) } }, context, async () => {
    const matched = await bulkWrite(context.store, type.collection, operations);
    if (attribute.many && matched < operations.length) throw tooManyLinks(attribute);
  });
  return type.uid === owner.type.uid && (removed.includes(owner.id) || ranks.has(owner.id));
}

/** Returns the ids of the entries that store a link to this one, in the order of this side. Throws a ValidationError if there are too many. */
export async function linksInOrder(owner: Owner, link: LinkAttribute, context: ContentContext): Promise<readonly number[]> {
  const links = linksOf(owner, link, context);
  if (links === null) return [];
  const stored = await readStored(links, { link, input: { kind: 'set', ids: [] } }, context);
  return stored.map(({ id }) => id);
}

/** Returns the links that an attribute of the related type stores; null if it does not exist. */
function linksOf(owner: Owner, { target, storage }: LinkAttribute, { bind }: ContentContext): LinksTo | null {
  const type = bind.registry.types.get(target);
  const attribute = 'field' in storage ? type?.attributes.get(storage.field) : undefined;
  if (type === undefined || attribute === undefined) return null;
  return attribute.kind === 'relation' || attribute.kind === 'morph' ? storedLinks.to(owner, type, attribute) : null;
}

/**
 * Returns the stored links that a write may change, in order. Throws a ValidationError if there are more than one write may order
 * or replace.
 */
async function readStored(
  { type, attribute, read }: LinksTo,
  { link, input }: InverseLinks,
  context: ContentContext,
): Promise<readonly Ranked[]> {
  const rule = await ruleFilter(type, context);
  const named = namedBy(input);
  const match: Match = named === null ? rule : matchesAll({ _id: is.oneOf(named) }, rule);
  const stored = await read(match, context.store.database);
  if (stored.length <= maximumLinks) return stored;
  throw validationError(
    `${link.name} has more than ${String(maximumLinks)} related entries; connect and disconnect some without a position, or write ${attribute.name} of the related entries`,
  );
}

/** Returns the ids that a write names if all others keep their places; null if their order matters. */
const namedBy = (input: LinkInput): readonly number[] | null =>
  input.kind === 'patch' && namesAllItChanges(input) ? [...input.connect.map(({ id }) => id), ...input.disconnect] : null;

interface LinkPlan {
  readonly removed: readonly number[];
  readonly added: readonly number[];
  /** The ranks to write, by id. */
  readonly ranks: ReadonlyMap<number, number>;
}

function planLinks(stored: readonly Ranked[], link: LinkAttribute, input: LinkInput): LinkPlan {
  const before = new Map(stored.map((ranked) => [ranked.id, ranked]));
  const ids = namingPath([link.name], () => applyLinkInput([...before.keys()], input));
  const targets = link.many ? ids : ids.slice(-1);
  const kept = new Set(targets);
  // Appended links come after links that were not read.
  const isAppended = namedBy(input) !== null;
  return {
    removed: [...before.keys()].filter((id) => !kept.has(id)),
    added: targets.filter((id) => !before.has(id)),
    ranks: planRanks(targets.map((id) => (isAppended ? undefined : before.get(id)) ?? { id, rank: null })),
  };
}

async function refuseTakenTargets(type: ContentType, match: Match, context: ContentContext): Promise<void> {
  if (await hidesOne(type, match, context)) throw forbiddenError();
}

/**
 * Removes the target of a one-to-one relation from any other entry that has it. Throws a ForbiddenError if the caller's rule
 * hides that entry.
 */
export async function writeExclusive(
  id: number,
  type: ContentType,
  { link, target }: ExclusiveLinks,
  context: ContentContext,
): Promise<void> {
  const filter = { [link.name]: target, _id: is.otherThan(id) };
  await refuseTakenTargets(type, filter, context);
  await keepingRules({ type, names: [link.name], filter }, context, async () => {
    await bulkWrite(context.store, type.collection, [storedLinks.to({ type, id: target }, type, link).removeFrom(filter)]);
  });
}

/**
 * Returns ranks by id that put a list into the given order, only for entries whose rank must change. Entries that are in order
 * already keep their rank, and moved ones get a rank in between. All entries get new ranks only if nothing fits in between.
 */
export function planRanks(ordered: readonly Ranked[]): ReadonlyMap<number, number> {
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

/** Returns the ids of the longest subsequence whose ranks already rise. */
function longestRisingRun(ordered: readonly Ranked[]): ReadonlySet<number> {
  const ends: { readonly rank: number; readonly index: number }[] = [];
  const before = new Map<number, number>();
  for (const [index, { rank }] of ordered.entries()) {
    if (rank === null) continue;
    const at = firstNotBelow(ends, rank);
    const previous = ends[at - 1];
    if (previous !== undefined) before.set(index, previous.index);
    ends[at] = { rank, index };
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1)?.index; index !== undefined; index = before.get(index)) kept.add(ordered[index]?.id ?? 0);
  return kept;
}

/** Returns the index of the first rising rank that is not below a rank; the length if all are below. */
function firstNotBelow(ends: readonly { readonly rank: number }[], rank: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.rank ?? Infinity) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ranksBetween(below: number, above: number | null, count: number): number[] | null {
  if (above === null) return Array.from({ length: count }, () => nextRank(below));
  const step = (above - below) / (count + 1);
  const ranks = Array.from({ length: count }, (_, index) => below + step * (index + 1));
  const fits = step > 0 && ranks.every((rank, index) => rank > (ranks[index - 1] ?? below) && rank < above);
  return fits ? ranks : null;
}

const rankAnew = (ordered: readonly Ranked[]): ReadonlyMap<number, number> => new Map(ordered.map(({ id }) => [id, nextRank()]));
