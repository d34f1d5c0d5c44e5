import type { Db } from 'mongodb';
import { targetsOf, type AttributeDefinition, type Model } from '../../../src/model/schema/model.js';
import { setNextId } from './insert-entries.js';
import type { Content, EntryFixture, FixtureValues, Localization } from './read-content.js';

/** The service under test, its database, and a function that makes the service drop its reserved ids. */
export interface Destination {
  readonly url: string;
  readonly db: Db;
  forget(): void;
}

/** The entries that could not be loaded, by reason. */
export type Shortfall = ReadonlyMap<string, readonly string[]>;

/**
 * Creates the entries of the fixtures over REST, in their order, with the full-access token. An entry that is refused is sent
 * once more without components, media and accounts; refused again, it is left out and its id skipped. So every entry has the id
 * that it has in the recordings, and so will the first that a test creates.
 */
export async function loadFixtures({ models, setup, fixtures }: Content, destination: Destination): Promise<Shortfall> {
  const token = setup.apiTokens.find(({ type }) => type === 'full-access')?.accessKey ?? '';
  const shortfall = new Map<string, string[]>();
  const loader: Loader = {
    ...destination,
    token,
    models: new Map(models.map((model) => [model.info.singularName ?? model.uid, model])),
    ids: new Map([...number('media', fixtures.media), ...number('user', fixtures.users)]),
    report: (entry, reason) => shortfall.set(reason, [...(shortfall.get(reason) ?? []), entry]),
  };
  for (const [type, entries] of fixtures.entries) await loadType(loader, type, entries);
  for (const [type, data] of Object.entries(fixtures.singles)) {
    await loadSingle(loader, type, data, fixtures.singleLocalizations[type] ?? []);
  }
  return shortfall;
}

interface Loader extends Destination {
  readonly token: string;
  /** By singular name; components by uid. */
  readonly models: ReadonlyMap<string, Model>;
  /** The ids given so far, by `type.key`. */
  readonly ids: Map<string, number>;
  report(entry: string, reason: string): void;
}

const number = (group: string, fixtures: readonly { readonly key: string }[]): [string, number][] =>
  fixtures.map(({ key }, index) => [`${group}.${key}`, index + 1]);

async function loadType(loader: Loader, type: string, entries: readonly EntryFixture[]): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    const name = `${type}.${entry.key}`;
    const id = await createEntry(loader, type, entry);
    if (id !== null && id !== index + 1) throw new Error(`${name} was given the id ${String(id)}, not ${String(index + 1)}`);
    if (id !== null) loader.ids.set(name, id);
    else await continueAt(loader, type, index + 2);
  }
  await continueAt(loader, type, entries.length + 1);
}

/** Sets the id of the type's next entry, and takes from the service those that it has in reserve. */
async function continueAt({ db, models, forget }: Loader, type: string, next: number): Promise<void> {
  await setNextId(db, models.get(type)?.collectionName ?? type, next);
  forget();
}

/** Returns the id that the service gave to the entry; null if it refused it. */
function createEntry(loader: Loader, type: string, entry: EntryFixture): Promise<number | null> {
  const path = `/api/${loader.models.get(type)?.info.pluralName ?? type}`;
  const { locale, localizationOf, key, data } = entry;
  const name = `${type}.${key}`;
  const localized = locale ? { ...data, locale } : data;
  if (!localizationOf) return send(loader, { name, type, method: 'POST', path, data: localized, wrap: underData });
  const original = loader.ids.get(localizationOf);
  if (original !== undefined) {
    return send(loader, {
      name,
      type,
      method: 'POST',
      path: `${path}/${String(original)}/localizations`,
      data: localized,
      wrap: asIs,
    });
  }
  loader.report(name, 'the entry that it translates is missing');
  return Promise.resolve(null);
}

async function loadSingle(
  loader: Loader,
  type: string,
  data: FixtureValues,
  localizations: readonly Localization[],
): Promise<void> {
  const path = `/api/${type}`;
  await send(loader, { name: type, type, method: 'PUT', path, data, wrap: underData });
  for (const { locale, data: values } of localizations) {
    const name = `${type} in ${locale}`;
    await send(loader, { name, type, method: 'POST', path: `${path}/localizations`, data: { locale, ...values }, wrap: asIs });
  }
  await continueAt(loader, type, localizations.length + 2);
}

interface Write {
  /** The name of the entry in reports. */
  readonly name: string;
  readonly type: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly data: FixtureValues;
  wrap(values: FixtureValues): unknown;
}

const underData = (data: FixtureValues): unknown => ({ data });

const asIs = (values: FixtureValues): unknown => values;

async function send(loader: Loader, write: Write): Promise<number | null> {
  const { type, name, data } = write;
  const values = resolveReferences(loader, name, data);
  const first = await attempt(loader, write, values);
  if (first.id !== null) return first.id;
  const model = loader.models.get(type);
  const early = Object.entries(values).filter(([key]) => !isLate(model?.attributes[key]));
  const second = await attempt(loader, write, Object.fromEntries(early));
  const outcome = second.id === null ? 'left out' : 'taken without components, media and accounts';
  loader.report(name, `${outcome}: ${first.refusal}`);
  return second.id;
}

/** Components, dynamic zones, media, and relations to types of plugins. */
const isLate = (attribute: AttributeDefinition | undefined): boolean =>
  attribute !== undefined &&
  (['component', 'dynamiczone', 'media'].includes(attribute.type) ||
    targetsOf(attribute).some((uid) => uid.startsWith('plugin::')));

async function attempt(
  { url, token }: Loader,
  { method, path, wrap }: Write,
  values: FixtureValues,
): Promise<{ readonly id: number; readonly refusal: '' } | { readonly id: null; readonly refusal: string }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(wrap(values)),
  });
  const text = await response.text();
  const id = response.ok ? readId(text) : null;
  return id === null
    ? { id, refusal: `${method} ${path} -> ${String(response.status)} ${text.slice(0, 200)}` }
    : { id, refusal: '' };
}

/** Entries are answered as `{ data: { id } }`, localizations without `data`. */
function readId(text: string): number | null {
  // Only this one key is read of the answer.
  const answer = JSON.parse(text) as { readonly id?: number; readonly data?: { readonly id?: number } | null };
  return answer.data?.id ?? answer.id ?? null;
}

/** Replaces `{ "$ref": "type.key" }` by that entry's id; what was left out becomes null, and no item of a list. */
function resolveReferences(loader: Loader, name: string, values: FixtureValues): FixtureValues {
  const idOf = (reference: Reference): number | null => {
    const id = loader.ids.get(reference.$ref);
    if (id === undefined) loader.report(name, `no ${reference.$ref} to link to`);
    return id ?? null;
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.flatMap((item) => (isReference(item) ? (idOf(item) ?? []) : [resolve(item)]));
    if (isReference(value)) return idOf(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, resolve(value)]));
}

interface Reference {
  readonly $ref: string;
}

const isReference = (value: unknown): value is Reference => typeof value === 'object' && value !== null && '$ref' in value;
