import { applicationError, notFoundError, validationError, type ApiError } from '#base/errors.js';
import { findStored } from '#store/stored.js';
import type { Document } from '#store/send/database.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { localeStore } from '#store/stores/locale-store.js';
import { entryStore } from '#store/write/write-entries.js';
import { emptyQuery } from '#model/query/ast.js';
import { collections } from '#model/schema/collections.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type ContentContext, withDatabase } from './content-context.js';
import { remove } from './remove.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';

const collection = collections.locales;

/** A locale as clients see it. */
export interface ShownLocale {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
  readonly isDefault: boolean;
}

/** The properties of a locale. The default changes by `isDefault: true` on another locale; it cannot be set to false. */
interface LocaleInput {
  readonly name?: unknown;
  readonly isDefault?: unknown;
}

/** The context of changes of locales, and a function that makes a change atomic. */
interface LocaleWork {
  readonly content: ContentContext;
  readonly commit: <Result>(change: (content: ContentContext) => Promise<Result>) => Promise<Result>;
}

/** Returns the context in which changes of locales are made, each in a transaction. */
export const localeWork = ({ content }: Pick<LocaleWork, 'content'>): LocaleWork => ({
  content,
  commit: (change) => inTransaction(content.store.database, (inner) => change(withDatabase(content, inner))),
});

/** Returns all locales, the oldest first. */
export async function listLocales({ store }: ContentContext): Promise<ShownLocale[]> {
  const [rows, { default: standard }] = await Promise.all([
    findStored(store.database, collection, { sort: { _id: 1 } }),
    localeStore.read(store.database),
  ]);
  return rows.map((row) => shownLocale(row, standard));
}

/** Returns a stored locale. `standard` is the code of the default one. */
export const shownLocale = ({ _id, name, code, createdAt, updatedAt }: Document, standard: string): ShownLocale => ({
  id: Number(_id),
  name: String(name),
  code: String(code),
  createdAt,
  updatedAt,
  isDefault: code === standard,
});

/** Adds a locale. Throws a ValidationError for an invalid language code, an ApplicationError if the locale exists. */
export async function createLocale(code: unknown, input: LocaleInput, { content, commit }: LocaleWork): Promise<void> {
  if (typeof code !== 'string' || !isLocaleCode(code)) throw validationError('code must be a language code, such as fr or pt-BR');
  const isSame = (locale: ShownLocale): boolean => locale.code.toLowerCase() === code.toLowerCase();
  if ((await listLocales(content)).some(isSame)) throw taken();
  const { ids, database } = content.store;
  const [_id = 0] = await ids.next(collection, 1, database);
  const now = new Date();
  const name = nameIn(input) ?? localeStore.nameOf(code);
  const insert = async (inner: ContentContext): Promise<void> => {
    await entryStore.insert(inner.store, collection, { _id, code, name, createdAt: now, updatedAt: now });
    await chooseDefault(code, input, inner);
  };
  await commit(insert).catch((error: unknown) => {
    throw error instanceof DuplicateKey ? taken() : error;
  });
}

const taken = (): ApiError => applicationError('This locale already exists');

const nameIn = ({ name }: LocaleInput): string | null => (typeof name === 'string' && name !== '' ? name : null);

function isLocaleCode(code: string): boolean {
  try {
    return code.length <= 20 && Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

/** Changes the name of a locale, or makes it the default one. Throws a NotFoundError. */
export async function updateLocale(code: string, input: LocaleInput, { commit }: LocaleWork): Promise<void> {
  const name = nameIn(input);
  const values = { ...(name !== null && { name }), updatedAt: new Date() };
  const change = { match: { code }, change: { set: values } };
  await commit(async (inner) => {
    if ((await entryStore.update(inner.store, collection, change)) === null) throw notFoundError('Locale not found');
    await chooseDefault(code, input, inner);
  });
}

/**
 * Makes a locale the default one, also one that is only added later, which the log says. Throws a ValidationError for an invalid language
 * code.
 */
export async function chooseDefaultLocale(code: unknown, content: ContentContext): Promise<void> {
  if (typeof code !== 'string' || !isLocaleCode(code))
    throw validationError('the default locale must be a language code, such as fr or pt-BR');
  const { store, notices } = content;
  const isKnown = (await localeStore.read(store.database)).codes.includes(code);
  await storeDefault(code, content);
  if (!isKnown)
    await afterCommit(store.database, async () => {
      notices.logOnce(`the default locale ${code} is not among the locales: add it`);
    });
}

/** Makes the first locale the default one, as if none had been chosen. */
export const forgetDefaultLocale = (content: ContentContext): Promise<void> => storeDefault(null, content);

async function storeDefault(code: string | null, { store: { database, changes } }: ContentContext): Promise<void> {
  await localeStore.writeDefault(database, code);
  await afterCommit(database, async () => {
    changes.changed(collections.settings);
  });
}

async function chooseDefault(code: string, { isDefault }: LocaleInput, { store }: ContentContext): Promise<void> {
  if (isDefault === true) await localeStore.writeDefault(store.database, code);
}

/**
 * Deletes a locale with its entries, as Strapi v4 does. There may be too many of them for one transaction, so each is deleted
 * in its own, and the locale last: an interrupted deletion can be repeated. Throws an ApplicationError for the default one.
 */
export async function deleteLocale(code: string, work: LocaleWork): Promise<void> {
  const locale = (await listLocales(work.content)).find((one) => one.code === code);
  if (locale?.isDefault === true) throw applicationError('Cannot delete the default locale');
  if (locale === undefined) throw notFoundError('Locale not found');
  for (const type of work.content.bind.registry.types.values())
    if (type.localized && type.kind !== 'component') await removeAll(type, code, work);
  await work.commit(({ store }) => entryStore.remove(store, collection, { code }));
}

async function removeAll(type: ContentType, locale: string, { content, commit }: LocaleWork): Promise<void> {
  const { database } = content.store;
  const rows = await findStored(database, type.collection, { match: { locale }, fields: ['_id'] });
  for (const { _id } of rows) await commit((inner) => remove({ type, id: Number(_id) }, emptyQuery, inner));
}
