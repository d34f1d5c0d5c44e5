import type { Db, Document } from 'mongodb';
import type { ContentType } from '../../schema/content-type.js';

/**
 * Gives entries that are older than an option of their type what the option needs: with draft & publish they count as published
 * since their creation, with localization they are in the default locale and a group of their own. Changes nothing twice.
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
