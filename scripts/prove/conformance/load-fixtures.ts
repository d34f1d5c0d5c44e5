import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Db } from 'mongodb';
import type { Model } from '../../../src/model/schema/model.js';
import { setNextId } from '../../insert-entries.js';
import type { Content, EntryFixture, FixtureValues, Setup } from './read-content.js';

/** The service under test, its database, and a function that makes the service drop its reserved ids. */
interface Destination {
  readonly url: string;
  readonly db: Db;
  forget(): void;
}

/**
 * Uploads the files and creates the entries of the fixtures over REST, in their order, with the full-access token. So every file and
 * entry has the id that it has in the recordings, and so will the first that a test creates. Throws an Error if one is refused.
 */
export async function loadFixtures(content: Content, destination: Destination): Promise<void> {
  const { models, setup, fixtures } = content;
  await uploadMedia(content, destination.url);
  const loader: Loader = {
    ...destination,
    authorization: authorizationOf(setup),
    models: new Map(models.map((model) => [model.info.singularName ?? model.uid, model])),
    ids: new Map([...number('media', fixtures.media), ...number('user', fixtures.users)]),
  };
  // the next file gets the next id, however many the product has reserved meanwhile
  await continueAt(loader, 'files', fixtures.media.length + 1);
  for (const [type, entries] of fixtures.entries) await loadType(loader, type, entries);
  for (const [type, data] of Object.entries(fixtures.singles)) {
    const localizations = fixtures.singleLocalizations[type] ?? [];
    await send(loader, type, { method: 'PUT', path: `/api/${type}`, body: (values) => ({ data: values }), data });
    for (const { locale, data: values } of localizations)
      await send(loader, type, { method: 'POST', path: `/api/${type}/localizations`, data: { locale, ...values } });
    await continueAt(loader, type, localizations.length + 2);
  }
}

interface Loader extends Destination {
  readonly authorization: string;
  /** By singular name; components by uid. */
  readonly models: ReadonlyMap<string, Model>;
  /** The ids given so far, by `type.key`. */
  readonly ids: Map<string, number>;
}

const authorizationOf = ({ apiTokens }: Setup): string =>
  `Bearer ${apiTokens.find(({ type }) => type === 'full-access')?.accessKey ?? ''}`;

async function uploadMedia({ fixtures, files, setup }: Content, url: string): Promise<void> {
  const headers = { authorization: authorizationOf(setup) };
  for (const { key, file, mime, info } of fixtures.media) {
    const body = new FormData();
    body.append('files', new Blob([await readFile(path.join(files, file))], { type: mime }), file);
    if (info) body.append('fileInfo', JSON.stringify(info));
    const response = await fetch(`${url}/api/upload`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`media.${key}: ${String(response.status)} ${await response.text()}`);
  }
}

const number = (group: string, fixtures: readonly { readonly key: string }[]): [string, number][] =>
  fixtures.map(({ key }, index) => [`${group}.${key}`, index + 1]);

async function loadType(loader: Loader, type: string, entries: readonly EntryFixture[]): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    const name = `${type}.${entry.key}`;
    const id = await createEntry(loader, type, entry);
    if (id !== index + 1) throw new Error(`${name} was given the id ${String(id)}, not ${String(index + 1)}`);
    loader.ids.set(name, id);
  }
  await continueAt(loader, type, entries.length + 1);
}

/** Sets the id of the next entry of a type or collection, and takes from the service those that it has in reserve. */
async function continueAt({ db, models, forget }: Loader, type: string, next: number): Promise<void> {
  await setNextId(db, models.get(type)?.collectionName ?? type, next);
  forget();
}

function createEntry(loader: Loader, type: string, { locale, localizationOf, key, data }: EntryFixture): Promise<number> {
  const path = `/api/${loader.models.get(type)?.info.pluralName ?? type}`;
  const localized = locale ? { ...data, locale } : data;
  const write = localizationOf
    ? { path: `${path}/${String(loader.ids.get(localizationOf))}/localizations` }
    : { path, body: (values: FixtureValues) => ({ data: values }) };
  return send(loader, `${type}.${key}`, { method: 'POST', ...write, data: localized });
}

interface Write {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly data: FixtureValues;
  /** The body that has the values; the values themselves if it is absent. */
  readonly body?: (values: FixtureValues) => object;
}

/** Sends a write, and returns the id of its entry. Entries are answered as `{ data: { id } }`, localizations without `data`. */
async function send(loader: Loader, name: string, { method, path, data, body }: Write): Promise<number> {
  const values = resolveReferences(loader.ids, data) as FixtureValues; // an object stays one
  const response = await fetch(loader.url + path, {
    method,
    headers: { authorization: loader.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body === undefined ? values : body(values)),
  });
  const text = await response.text();
  const answer = JSON.parse(text) as { readonly id?: number; readonly data?: { readonly id?: number } | null }; // only these are read
  const id = answer.data?.id ?? answer.id;
  if (!response.ok || id === undefined)
    throw new Error(`${name}: ${method} ${path}: ${String(response.status)} ${text.slice(0, 300)}`);
  return id;
}

/** Replaces `{ "$ref": "type.key" }` by that entry's id. */
function resolveReferences(ids: Loader['ids'], value: unknown): unknown {
  const resolve = (item: unknown): unknown => resolveReferences(ids, item);
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== 'object' || value === null) return value;
  if (!('$ref' in value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
  const id = ids.get(String(value.$ref));
  if (id === undefined) throw new Error(`there is no ${String(value.$ref)} to link to`);
  return id;
}
