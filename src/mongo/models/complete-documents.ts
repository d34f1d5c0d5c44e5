import type { Db, Document } from 'mongodb';
import type { ContentType } from '../../schema/content-type.js';

/**
 * Completes entries that are older than an option of their type: with draft & publish they are published since their creation,
 * with localization they get the default locale and a group of their own. Idempotent.
 */
export async function completeDocuments(
  db: Db,
  { kind, collection, draftAndPublish, localized }: ContentType,
  defaultLocale: string,
): Promise<void> {
  const updates: [Document, Document][] = [
    ...(draftAndPublish
      ? [[{ publishedAt: { $exists: false } }, { publishedAt: { $ifNull: ['$createdAt', '$$NOW'] } }] as [Document, Document]]
      : []),
    ...(localized
      ? [
          [{ locale: { $exists: false } }, { locale: defaultLocale, _group: kind === 'singleType' ? 1 : '$_id' }] as [
            Document,
            Document,
          ],
        ]
      : []),
  ];
  await Promise.all(updates.map(([filter, set]) => db.collection(collection).updateMany(filter, [{ $set: set }])));
}
