import { isDeepStrictEqual } from 'node:util';
import { localize } from '#content/create-localization.js';
import { sharedAttributes } from '#content/sync-locales.js';
import { applicationError, hasCode, type ApiError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { findFirst } from '#store/stored.js';
import type { ContentType } from '#model/schema/content-type.js';
import { decodeId, isRecord, type Values } from '#base/values.js';
import { checkPanelBody, mixed, object, string } from '../check-body.js';
import { parametersOf } from '../panel-query.js';
import { needing, type PanelCall } from '../panel-route.js';
import { contentFor } from '../rights/content-access.js';
import { permittedBody } from './permitted-body.js';
import { findEntry, idQuery } from './entry-rights.js';
import { showEntry, typeOf } from './read-routes.js';
import { newEntryData, createEntry } from './write-entry.js';

/** The route of what a form takes over from an entry in another locale. */
export const localeRoutes = needing(
  'logged in',
  {
    'POST /i18n/content-manager/actions/get-non-localized-fields': sharedFields,
  },
  'nothing',
);

/**
 * Returns the locale of a request for entries of a type; the default one if it names none, null for a type without locales. Throws an
 * ApplicationError for an unknown one.
 */
export function localeOf({ localized }: ContentType, call: PanelCall): string | null {
  if (!localized) return null;
  const { locales, defaultLocale } = call.content.bind;
  const { locale = defaultLocale } = parametersOf(call);
  if (typeof locale === 'string' && locales.includes(locale)) return locale;
  throw applicationError("This locale doesn't exist");
}

/**
 * Creates the entry of a request in its locale, and returns its id. With `relatedEntityId` it becomes another locale of that entry:
 * it has its shared values, unless the body has others, which are then those of all locales: the administrator must be allowed to
 * update that entry.
 */
export async function createIn(type: ContentType, call: PanelCall): Promise<number> {
  const { body } = call.request;
  const locale = localeOf(type, call);
  if (locale === null) return createEntry(type, body, { call });
  const { relatedEntityId } = parametersOf(call);
  if (relatedEntityId === undefined && type.kind === 'collectionType')
    return createEntry(type, body, { call, values: { locale } });
  const related = decodeId(String(relatedEntityId)) || (await anyEntry(type, call));
  if (related === null) return createEntry(type, body, { call, values: { locale } });
  return createFrom({ type, id: related, locale }, call);
}

/** Returns the id of an entry of a single type in any locale; null if there is none. */
async function anyEntry({ kind, collection }: ContentType, { content }: PanelCall): Promise<number | null> {
  if (kind !== 'singleType') return 0;
  const entry = await findFirst(content.store.database, collection, {});
  return entry === null ? null : Number(entry['_id']);
}

interface NewLocale {
  readonly type: ContentType;
  /** The entry that has another locale. */
  readonly id: number;
  readonly locale: string;
}

async function createFrom({ type, id, locale }: NewLocale, call: PanelCall): Promise<number> {
  const context = contentFor(call, 'create', type);
  const source = await findFirst(call.content.store.database, type.collection, { _id: id });
  if (source === null) throw cannotJoin();
  const shown = await showEntry(type, id, { call, form: 'entry' });
  const body = withoutShared(type, call.request.body, shown);
  const given = permittedBody(type, body, { call, action: 'create' });
  if (sharedAttributes(type).some((name) => Object.hasOwn(given, name)))
    await findEntry({ type, id }, { call, action: 'update' });
  const data = newEntryData(type, given, { locale });
  const { document } = await localize({ type, source }, { data, query: idQuery }, context).catch((error: unknown) => {
    throw hasCode(error, 'locale-taken') ? cannotJoin() : error;
  });
  return Number(document['_id']);
}

const cannotJoin = (): ApiError =>
  applicationError("The related entity doesn't exist or the entity already exists in this locale");

/**
 * Returns the body of a new locale without the values that it shares with the shown entry, if they are the same: the form has taken
 * them over. As in Strapi v4, null takes them over too.
 */
function withoutShared(type: ContentType, body: unknown, shown: Values): unknown {
  if (!isRecord(body)) return body;
  const shared = sharedIn(type, shown);
  const names = new Set(sharedAttributes(type));
  const isTaken = ([name, value]: readonly [string, unknown]): boolean =>
    names.has(name) && ((value ?? null) === null || isDeepStrictEqual(withoutIds(value), shared[name]));
  return Object.fromEntries(Object.entries(body).filter((entry) => !isTaken(entry)));
}

/** Returns the values of a shown entry that all its locales share. Components have no ids. */
function sharedIn(type: ContentType, shown: Values): Values {
  const names = new Set(sharedAttributes(type));
  const values = Object.entries(shown).filter(([name]) => names.has(name));
  return Object.fromEntries(
    values.map(([name, value]) => [name, type.attributes.get(name)?.kind === 'media' ? value : withoutIds(value)]),
  );
}

/** Returns a value without the ids of components. Files, which have a hash, keep theirs. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isRecord(value) || Object.hasOwn(value, 'hash')) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'id' && name !== '__temp_key__');
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutIds(inner)]));
}

const sharedBody = object({ model: string().required(), id: mixed(), locale: string().required() });

/** Answers the values that all locales of an entry share, and which locales it has, as far as the administrator may read them. */
async function sharedFields(call: PanelCall): Promise<Answer> {
  const { model, id: given } = await checkPanelBody(sharedBody, bodyOf(call.request));
  const type = typeOf({ content: call.content, request: call.request.with({ uid: model }, {}) });
  if (!type.localized) throw applicationError('model.not.localized');
  const id = decodeId(String(given)) || (await anyEntry(type, call)) || 0;
  const shown = await showEntry(type, id, { call, form: 'entry' });
  const names = ['id', 'locale', ...(type.draftAndPublish ? ['publishedAt'] : [])];
  const own = Object.fromEntries(names.flatMap((name) => (name in shown ? [[name, shown[name]]] : [])));
  return { body: { nonLocalizedFields: sharedIn(type, shown), localizations: [...[shown['localizations'] ?? []].flat(), own] } };
}
