import { shownLocale } from '#content/locales.js';
import { flag, listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { answers } from '#http/operation.js';
import type { Answer, Route, RouteCall } from '#http/route.js';
import { findStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';

const locale = record(
  { id: integer, name: text, code: text, createdAt: orNull(text), updatedAt: orNull(text), isDefault: flag },
  ['id', 'name', 'code', 'isDefault'],
);

/** The route of all locales. */
export const localeRoute: Route = {
  method: 'GET',
  path: '/i18n/locales',
  action: 'plugin::i18n.locales.listLocales',
  operation: { id: 'findLocales', summary: 'List locales', tag: 'Locales', answers: answers(listOf(locale), 'The locales') },
  handle: listLocales,
};

/** Returns the locales, without envelope. */
async function listLocales({ content: { store, bind } }: RouteCall): Promise<Answer> {
  const locales = await findStored(store.database, collections.locales, { sort: { _id: 1 } });
  return { body: locales.map((each) => shownLocale(each, bind.defaultLocale)) };
}
