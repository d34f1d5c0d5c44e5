import type { Document } from 'mongodb';
import { Queue } from '../../queue.js';
import type { ContentType } from '../../schema/content-type.js';
import { translating } from '../calls.js';
import type { Database } from '../database.js';

/** Returns whether entries of the former type lack fields that the type needs. */
export const asksForMore = (type: ContentType, former: ContentType | undefined): boolean =>
  former !== undefined && ((type.draftAndPublish && !former.draftAndPublish) || (type.localized && !former.localized));

/** Maximum number of collections that are completed at once, so that connections remain for requests. */
const atOnce = 8;

/**
 * Adds the fields that entries lack because they are older than an option of their type. Draft & publish sets their publication
 * date to that of their creation, localization sets the default locale and a new group. Idempotent.
 */
export async function completeDocuments(types: readonly ContentType[], defaultLocale: string, database: Database): Promise<void> {
  const optional = types.filter(({ draftAndPublish, localized }) => draftAndPublish || localized);
  const turns = new Queue({ atOnce });
  await Promise.all(optional.map((type) => turns.run(() => completeType(type, defaultLocale, database))));
}

async function completeType(
  { kind, collection, draftAndPublish, localized }: ContentType,
  defaultLocale: string,
  { db }: Database,
): Promise<void> {
  const published = { publishedAt: { $ifNull: ['$createdAt', '$$NOW'] } };
  const alone = { locale: defaultLocale, _group: kind === 'singleType' ? 1 : '$_id' };
  const updates: readonly (readonly [Document, Document])[] = [
    ...(draftAndPublish ? [[{ publishedAt: { $exists: false } }, published] as const] : []),
    ...(localized ? [[{ locale: { $exists: false } }, alone] as const] : []),
  ];
  for (const [filter, set] of updates) await translating(() => db.collection(collection).updateMany(filter, [{ $set: set }]));
}
