import { linkOneMorph, type Owner, readLinking, unlinkOne } from '../mongo/write/link-changes.js';
import { bulkWrite } from '../mongo/write/write-entries.js';
import { applyLinkInput } from '../schema/parse-link-input.js';
import type { InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import { planRanks } from './link-ranks.js';

/**
 * Writes a morphOne or morphMany relation: its links are in the polymorphic attribute of the related entries. A polymorphic to-one
 * attribute links to what was written last. One read and one command, inside a transaction.
 */
export async function writeMorphInverse(owner: Owner, { link, input }: InverseLinks, context: ContentContext): Promise<void> {
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
