import { linkOne, type Owner, readLinking, unlinkMany, unlinkOne } from '../mongo/write/link-changes.js';
import { oneOf, otherThan } from '../mongo/matches.js';
import { bulkWrite } from '../mongo/write/write-entries.js';
import type { ContentType } from '../schema/content-type.js';
import { applyLinkInput } from '../schema/parse-link-input.js';
import { tooManyLinks, type ExclusiveLinks, type InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import { planRanks } from './link-ranks.js';
import { keepingRules } from './row-rules.js';
import { writeMorphInverse } from './write-morph-inverse.js';

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
