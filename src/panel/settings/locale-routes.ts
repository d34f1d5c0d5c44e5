import { createLocale, deleteLocale, localeWork, updateLocale } from '../../content/locales.js';
import { notFoundError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { bodyOf, idOf } from '../../http/route-request.js';
import type { Document } from '../../mongo/send/database.js';
import { findStored } from '../../mongo/stored.js';
import { readLocales } from '../../mongo/stores/locale-store.js';
import { collections } from '../../schema/collections.js';
import { boolean, checkPanelBody, object, string } from '../check-body.js';
import type { PanelCall, PanelRoutes } from '../panel-route.js';
import { isoLocales } from './iso-locales.js';

/** The routes of locales. Their answers have no envelope. */
export const localeRoutes: PanelRoutes = {
  'GET /i18n/locales': { right: 'logged in', handle: async (call) => ({ body: await listLocales(call) }) },
  'GET /i18n/iso-locales': { right: 'plugin::i18n.locale.read', handle: () => ({ body: isoLocales() }) },
  'POST /i18n/locales': { right: 'plugin::i18n.locale.create', handle: create },
  'PUT /i18n/locales/:id': { right: 'plugin::i18n.locale.update', handle: change },
  'DELETE /i18n/locales/:id': { right: 'plugin::i18n.locale.delete', handle: remove },
};

/** A locale as the panel shows it. */
type PanelLocale = ReturnType<typeof shown>;

const shown = ({ _id, name, code, createdAt, updatedAt }: Document, standard: string) => ({
  id: Number(_id),
  name: String(name),
  code: String(code),
  createdAt: createdAt as unknown,
  updatedAt: updatedAt as unknown,
  isDefault: code === standard,
});

async function listLocales({ content }: PanelCall): Promise<readonly PanelLocale[]> {
  const { database } = content.store;
  const [documents, { default: standard }] = await Promise.all([
    findStored(database, collections.locales, { sort: { _id: 1 } }),
    readLocales(database),
  ]);
  return documents.map((document) => shown(document, standard));
}

async function find(call: PanelCall): Promise<PanelLocale> {
  const locale = (await listLocales(call)).find(({ id }) => id === idOf(call));
  if (locale === undefined) throw notFoundError('locale.notFound');
  return locale;
}

/** Returns the locale of a code after a change, which this instance has loaded by then. */
async function changed(code: string, call: PanelCall): Promise<Answer> {
  await call.running.backend.models.load();
  return { body: (await listLocales(call)).find((locale) => locale.code === code) };
}

const name = () => string().max(50).nullable();

const newLocale = object({
  name: name(),
  code: string().max(20).required(),
  isDefault: boolean().required(),
}).noUnknown();

const changedLocale = object({ name: name().min(1), isDefault: boolean() }).noUnknown();

async function create(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(newLocale, bodyOf(call.request));
  await createLocale(body.code, body, localeWork(call));
  return changed(body.code, call);
}

async function change(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(changedLocale, bodyOf(call.request));
  const { code } = await find(call);
  await updateLocale(code, body, localeWork(call));
  return changed(code, call);
}

async function remove(call: PanelCall): Promise<Answer> {
  const locale = await find(call);
  await deleteLocale(locale.code, localeWork(call));
  await call.running.backend.models.load();
  return { body: locale };
}
