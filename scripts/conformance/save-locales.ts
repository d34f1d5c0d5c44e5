import type { Db } from 'mongodb';
import { insertEntries } from './insert-entries.js';
import type { Setup } from './read-content.js';

/** Writes the locales; which one is the default is a setting and not an attribute. */
export async function saveLocales(db: Db, locales: Setup['locales']): Promise<void> {
  await insertEntries(
    db,
    'i18n_locales',
    locales.list.map(({ code, name }) => ({ name, code })),
  );
}
