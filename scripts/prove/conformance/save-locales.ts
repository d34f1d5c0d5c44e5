import type { Db } from 'mongodb';
import { insertEntries } from './insert-entries.js';
import type { Setup } from './read-content.js';

/** Writes the locales, and which of them is the default one. */
export async function saveLocales(db: Db, locales: Setup['locales']): Promise<void> {
  await insertEntries(
    db,
    'i18n_locales',
    locales.list.map(({ code, name }) => ({ name, code })),
  );
  await db.collection<I18nSettings>('_settings').insertOne({ _id: 'i18n', defaultLocale: locales.default });
}

interface I18nSettings {
  readonly _id: string;
  readonly defaultLocale: string;
}
