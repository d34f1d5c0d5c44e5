import { createLocale, deleteLocale, listLocales, localeWork, type ShownLocale, updateLocale } from '#content/locales.js';
import { fieldErrors, notFoundError } from '#base/errors.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { boolean, checkPanelBody, object, string } from '../check-body.js';
import { answerBody, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { resourceRoutes } from '../resource-routes.js';
import { isoLocales } from './iso-locales.js';

/** The routes of locales. Their answers have no envelope. */
export const localeRoutes: PanelRoutes = {
  'GET /i18n/locales': { right: 'logged in', handle: async ({ content }) => ({ body: await listLocales(content) }) },
  'GET /i18n/iso-locales': { right: 'plugin::i18n.locale.read', handle: () => ({ body: isoLocales() }) },
  ...resourceRoutes('/i18n/locales', 'plugin::i18n.locale', { create, change, remove }, answerBody),
};

async function find(call: PanelCall): Promise<ShownLocale> {
  const locale = (await listLocales(call.content)).find(({ id }) => id === idOf(call));
  if (locale === undefined) throw notFoundError('locale.notFound');
  return locale;
}

/** Returns the locale of a code after a change, which this instance has loaded by then. */
async function changed(code: string, call: PanelCall): Promise<ShownLocale | undefined> {
  await call.running.backend.models.load();
  return (await listLocales(call.content)).find((locale) => locale.code === code);
}

const name = () => string().max(50).nullable();

const newLocale = object({
  name: name(),
  code: string().max(20).required(),
  isDefault: boolean().required(),
}).noUnknown();

const changedLocale = object({ name: name().min(1), isDefault: boolean() }).noUnknown();

async function create(call: PanelCall) {
  const body = await checkPanelBody(newLocale, bodyOf(call.request));
  if (!isoLocales().some(({ code }) => code === body.code))
    throw fieldErrors([{ path: ['code'], message: 'code must be one of those of GET /i18n/iso-locales' }]);
  await createLocale(body.code, body, localeWork(call));
  return changed(body.code, call);
}

async function change(call: PanelCall) {
  const body = await checkPanelBody(changedLocale, bodyOf(call.request));
  const { code } = await find(call);
  await updateLocale(code, body, localeWork(call));
  return changed(code, call);
}

async function remove(call: PanelCall) {
  const locale = await find(call);
  await deleteLocale(locale.code, localeWork(call));
  await call.running.backend.models.load();
  return locale;
}
