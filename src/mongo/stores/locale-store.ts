import { collections } from '../../schema/collections.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import { commentIn, type Database, inScope } from '../send/database.js';
import { readAll } from '../send/read-commands.js';

/** All locales, and the default for requests without a locale. */
export interface Locales {
  readonly codes: readonly string[];
  readonly default: string;
}

const settingsId = 'i18n';

/** Reads the locales. If there are none, returns English, the first locale of Strapi v4. */
export async function readLocales(database: Database): Promise<Locales> {
  const [locales, [settings]] = await Promise.all([
    readAll(database, { find: collections.locales, sort: { _id: 1 }, projection: { code: 1 }, batchSize: 1000 }),
    readAll(database, { find: collections.settings, filter: { _id: settingsId }, limit: 1 }),
  ]);
  const codes = locales.map(({ code }) => String(code));
  const chosen: unknown = settings?.['defaultLocale'];
  return { codes: codes.length === 0 ? ['en'] : codes, default: typeof chosen === 'string' ? chosen : (codes[0] ?? 'en') };
}

/** Makes a locale the default one. */
export const writeDefaultLocale = (database: Database, code: string): Promise<void> =>
  writeSettings(database, settingsId, { defaultLocale: code });

/** Stores a locale if there is none, so that it can be listed. */
export async function createFirstLocale(database: Database, code: string): Promise<void> {
  const locales = database.db.collection<{ _id: number }>(collections.locales);
  if ((await inReadTime(database, () => locales.findOne({}, { projection: { _id: 1 }, ...commentIn(database) }))) !== null)
    return;
  const now = new Date();
  const first = { code, name: localeName(code), createdAt: now, updatedAt: now };
  await inWriteTime(database, () =>
    locales.updateOne({ _id: 1 }, { $setOnInsert: first }, { upsert: true, ...commentIn(database) }),
  );
}

/** Returns the name of a locale in the form of Strapi v4: `English (en)`. */
export function localeName(code: string): string {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });
  return `${names.of(code) ?? code} (${code})`;
}

/** Sets values of a document of `_settings`; other values of it stay. */
export async function writeSettings(database: Database, id: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = database.db.collection<{ readonly _id: string }>(collections.settings);
  const options = { upsert: true, ...inScope(database) };
  await inWriteTime(database, () => settings.updateOne({ _id: id }, { $set: { ...values } }, options));
}
