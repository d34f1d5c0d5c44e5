import { collections } from '../schema/collections.js';
import { remove } from '../content/remove.js';
import type { ContentContext } from '../content/content-context.js';
import { applicationError, notFoundError, validationError, type ApiError } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { DuplicateKey } from '../mongo/driver-errors.js';
import { localeName, writeDefaultLocale } from '../mongo/locale-store.js';
import type { Store } from '../mongo/store.js';
import { deleteEntry, insertEntry, updateEntry } from '../mongo/write-entries.js';
import { emptyQuery } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { anything, closed } from './check-admin-body.js';

const collection = collections.locales;

const changed = { name: { type: 'string', minLength: 1 }, isDefault: { type: 'boolean' } } as const;

/** Locales; which of them is the default one is `{ isDefault: true }`. */
export const localeAdminRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/locales', handle: list },
  { method: 'POST', path: '/locales', body: closed({ code: anything, ...changed }), handle: create },
  { method: 'PUT', path: '/locales/:code', body: closed(changed), handle: update },
  { method: 'DELETE', path: '/locales/:code', handle: destroy },
];

interface ShownLocale {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly isDefault: boolean;
}

async function list({ running: { backend } }: AdminCall): Promise<ShownLocale[]> {
  const rows = await readAll(backend.store.database, { find: collection, sort: { _id: 1 }, batchSize: 1000 });
  const { default: standard } = backend.models.locales();
  return rows.map(({ _id, code, name }) => ({
    id: Number(_id),
    code: String(code),
    name: String(name),
    isDefault: code === standard,
  }));
}

async function create(call: AdminCall): Promise<ShownLocale[]> {
  const { code, name } = call.body;
  if (typeof code !== 'string' || !isLocaleCode(code)) throw validationError('code must be a language code, such as fr or pt-BR');
  if ((await list(call)).some((locale) => locale.code === code)) throw taken();
  const { ids, database } = call.running.backend.store;
  const [_id = 0] = await ids.next(collection, 1, database);
  const now = new Date();
  const shown = typeof name === 'string' && name !== '' ? name : localeName(code);
  const insert = async ({ store }: ContentContext): Promise<void> => {
    await insertEntry(store, collection, { _id, code, name: shown, createdAt: now, updatedAt: now });
    await chooseDefault(call, code, store);
  };
  await call.commit(insert).catch((error: unknown) => {
    throw error instanceof DuplicateKey ? taken() : error;
  });
  return settle(call);
}

const taken = (): ApiError => applicationError('This locale already exists');

function isLocaleCode(code: string): boolean {
  try {
    return code.length <= 20 && Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

async function update(call: AdminCall): Promise<ShownLocale[]> {
  const code = call.request.params['code'] ?? '';
  const { name } = call.body;
  const values = typeof name === 'string' && name !== '' ? { name } : {};
  const change = { match: { code }, change: { set: { ...values, updatedAt: new Date() } }, projection: { _id: 1 } };
  await call.commit(async ({ store }) => {
    if ((await updateEntry(store, collection, change)) === null) throw notFoundError('Locale not found');
    await chooseDefault(call, code, store);
  });
  return settle(call);
}

async function chooseDefault({ body }: AdminCall, code: string, { database }: Store): Promise<void> {
  if (body['isDefault'] === true) await writeDefaultLocale(database, code);
}

async function settle(call: AdminCall): Promise<ShownLocale[]> {
  await call.running.backend.models.load();
  return list(call);
}

/**
 * With the locale go its entries, as in Strapi v4. There may be more of them than a transaction can hold, so each goes in one
 * of its own, and the locale last: what was interrupted can be asked for again.
 */
async function destroy(call: AdminCall): Promise<ShownLocale[]> {
  const code = call.request.params['code'] ?? '';
  const { models } = call.running.backend;
  if (models.locales().default === code) throw applicationError('Cannot delete the default locale');
  if (!(await list(call)).some((locale) => locale.code === code)) throw notFoundError('Locale not found');
  for (const type of models.current().types.values())
    if (type.localized && type.kind !== 'component') await removeAll(type, code, call);
  await call.commit(({ store }) => deleteEntry(store, collection, { code }));
  return settle(call);
}

async function removeAll(type: ContentType, locale: string, { content, commit }: AdminCall): Promise<void> {
  const { database } = content.store;
  const rows = await readAll(database, {
    find: type.collection,
    filter: { locale },
    projection: { _id: 1 },
    batchSize: 1_000_000,
  });
  for (const { _id } of rows) await commit((inner) => remove(type, Number(_id), emptyQuery, inner));
}
