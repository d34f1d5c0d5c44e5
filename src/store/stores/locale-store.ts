import { collections } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database, inScope } from '../send/database.js';
import { findFirst, findStored, isStored } from '../stored.js';

/** All locales, and the default for requests without a locale. */
export interface Locales {
  readonly codes: readonly string[];
  readonly default: string;
}

const settingsId = 'i18n';

/** Reads the locales. If there are none, returns English, the first locale of Strapi v4. */
async function readLocales(database: Database): Promise<Locales> {
  const [locales, settings] = await Promise.all([
    findStored(database, collections.locales, { sort: { _id: 1 }, fields: ['code'] }),
    findFirst(database, collections.settings, { _id: settingsId }),
  ]);
  const codes = locales.map(({ code }) => String(code));
  const chosen: unknown = settings?.['defaultLocale'];
  return { codes: codes.length === 0 ? ['en'] : codes, default: typeof chosen === 'string' ? chosen : (codes[0] ?? 'en') };
}

/** Makes a locale the default one; with null, the first one. */
async function writeDefaultLocale(database: Database, code: string | null): Promise<void> {
  const settings = database.db.collection<{ readonly _id: string }>(collections.settings);
  const update = { $set: { defaultLocale: code } };
  await inWriteTime(database, () => settings.updateOne({ _id: settingsId }, update, { upsert: true, ...inScope(database) }));
}

/** Stores a locale if there is none, so that it can be listed. */
async function createFirstLocale(database: Database, code: string): Promise<void> {
  if (await isStored(database, collections.locales)) return;
  const locales = database.db.collection<{ _id: number }>(collections.locales);
  const now = new Date();
  const first = { code, name: localeName(code), createdAt: now, updatedAt: now };
  await inWriteTime(database, () =>
    locales.updateOne({ _id: 1 }, { $setOnInsert: first }, { upsert: true, ...commentIn(database) }),
  );
}

/** Returns the name of a locale in the form of Strapi v4: `English (en)`. */
function localeName(code: string): string {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });
  return `${names.of(code) ?? code} (${code})`;
}

/** The stored locales. */
export const localeStore = {
  read: readLocales,
  writeDefault: writeDefaultLocale,
  createFirst: createFirstLocale,
  nameOf: localeName,
};
