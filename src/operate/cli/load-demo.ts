import { createReadStream } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { collections } from '#model/schema/collections.js';
import type { Config } from '#settings/config.js';
import { create } from '#content/create.js';
import { createLocalization } from '#content/create-localization.js';
import { withDatabase, type ContentContext } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { updateSingle } from '#content/single-type.js';
import { idsOf } from '#media/link-files.js';
import type { Media } from '#media/media.js';
import { prepareFile } from '#media/prepare-file.js';
import { Staging } from '#media/staging.js';
import { storeFiles, uploadFolder } from '#media/upload-files.js';
import { findStored, isStored } from '#store/stored.js';
import { localeStore } from '#store/stores/locale-store.js';
import { writeModels } from '#store/stores/model-store.js';
import { servedCollections } from '#store/models/served-collections.js';
import type { Backend } from '#store/models/open-backend.js';
import { ensureCollections } from '#store/send/ensure-collections.js';
import type { Store } from '#store/store.js';
import { inTransaction } from '#store/send/transaction.js';
import { entryStore } from '#store/write/write-entries.js';
import { packageRoot } from '#base/package-root.js';
import { fullAccess } from '#model/query/access.js';
import { emptyQuery } from '#model/query/ast.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Model } from '#model/schema/model.js';
import { messageOf } from '#base/errors.js';

/**
 * Ids of stored entries and files, by names such as `author.ines` and `file.coral.jpg`. Null for a file if there is no media
 * library, and for a translation if its type is not localized.
 */
type Ids = Map<string, number | null>;

interface DemoEntry {
  readonly key: string;
  readonly localizationOf?: string;
  readonly locale?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface DemoFile {
  readonly type: string;
  readonly entries: readonly DemoEntry[];
}

/** The service that the demo is stored in. `media` is null if uploads are disabled. */
interface DemoTarget {
  readonly config: Config;
  readonly backend: Backend;
  readonly media: Media | null;
}

/**
 * Loads the demo if the configuration enables it. Does nothing until the database has answered. If it fails, throws an Error that
 * says how to start without the demo.
 */
export async function fillDemo({ config, backend, media }: Omit<DemoTarget, 'backend'> & { readonly backend: Backend | null }) {
  if (!config.database.demo || backend === null) return;
  await loadDemo({ config, backend, media }).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new Error(`the demo was not loaded: ${reason}; MANGROVE_DEMO=false starts without it`, { cause: error });
  });
}

const demoFolder = join(packageRoot, 'config', 'demo');

/** The languages of the demo, whatever the default locale. Originals are in the first one. */
const languages = ['en', 'fr'] as const;

/**
 * Loads the demo magazine into an empty database, in one transaction, so that an interrupted start leaves nothing behind. Does
 * nothing if there is a model, which another instance may have stored. Returns the number of entries. The time limits of requests
 * do not apply, because nobody waits for an answer and the machine may be slow.
 */
export async function loadDemo({ config, backend: given, media }: DemoTarget, folder = demoFolder): Promise<number> {
  const database = { ...given.store.database, maxTimeMS: { read: patience, write: patience } };
  const backend = { ...given, store: { ...given.store, database } };
  if (await isStored(database, collections.models)) return 0;
  const models = await readFolder<Model>(join(folder, 'models'));
  const files = await readFolder<DemoFile>(join(folder, 'entries'));
  const foreign = [...(await servedCollections.findForeign(models, database))];
  if (foreign.length > 0) throw new Error(`collections that were never served hold documents: ${foreign.join(', ')}`);
  const content = demoContext(models, config, backend);
  await database.db.createCollection(collections.models).catch(() => undefined); // created before the transaction, in which instances would conflict; it may already exist
  const types = [...content.bind.registry.types.values()].filter(({ kind }) => kind !== 'component');
  await ensureCollections(
    types.map(({ collection }) => collection),
    database,
  );
  const listed = JSON.parse(await readFile(join(folder, 'files.json'), 'utf8')) as readonly ListedFile[]; // shipped with the package
  const context = media && { media, staging: new Staging(media) };
  try {
    const prepared = context && (await preparePictures(folder, listed, context));
    const pictures = prepared && { files: prepared, folder: await uploadFolder(content) };
    const count = await inTransaction(database, async (inner) => {
      if (await isStored(inner, collections.models)) return 0;
      await writeModels(inner, models);
      await servedCollections.record(content.bind.registry.types.values(), inner);
      await addLocales({ ...backend.store, database: inner });
      const within = withDatabase(content, inner);
      return loadEntries(files, await publish(listed, pictures, within), within);
    });
    await backend.models.load();
    return count;
  } finally {
    await context?.staging.discard();
  }
}

/** Time limit of one command in milliseconds. MongoDB itself ends transactions after a minute. */
const patience = 60_000;

/** Returns a context with full access that knows the models and languages of the demo before they are stored. */
function demoContext(models: readonly Model[], config: Config, { store, models: inForce, settings }: Backend): ContentContext {
  const { registry } = buildRegistry(models, settings);
  const { locales } = inForce.snapshot;
  const complete = { ...locales, codes: [...new Set([...locales.codes, ...languages])] };
  return createContext(config, { store, models: { snapshot: { registry, locales: complete } } }, fullAccess);
}

async function readFolder<Content>(folder: string): Promise<Content[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Content)); // shipped with the package
}

/** Adds the languages. One of them may be the default locale, which already exists. */
async function addLocales(store: Store): Promise<void> {
  const stored = await findStored(store.database, collections.locales, { fields: ['code'] });
  const now = new Date();
  for (const code of languages.filter((language) => stored.every((locale) => locale['code'] !== language))) {
    const [_id = 0] = await store.ids.next(collections.locales, 1, { ...store.database, session: null });
    await entryStore.insert(store, collections.locales, {
      _id,
      code,
      name: localeStore.nameOf(code),
      createdAt: now,
      updatedAt: now,
    });
  }
}

async function loadEntries(files: readonly DemoFile[], pictures: Ids, content: ContentContext): Promise<number> {
  const ids: Ids = new Map(pictures);
  for (const file of files) await loadFile(file, ids, content);
  return [...ids].filter(([key, id]) => id !== null && !pictures.has(key)).length;
}

async function loadFile({ type: uid, entries }: DemoFile, ids: Ids, context: ContentContext): Promise<void> {
  const type = context.bind.registry.types.get(uid);
  if (type === undefined) throw new Error(`the demo names the unknown type ${uid}`);
  for (const entry of entries) {
    const isLoaded = type.localized || entry.localizationOf === undefined;
    ids.set(`${type.singularName}.${entry.key}`, isLoaded ? await loadEntry(type, entry, ids, context) : null);
  }
}

async function loadEntry(
  type: ContentType,
  entry: DemoEntry,
  ids: ReadonlyMap<string, number | null>,
  context: ContentContext,
): Promise<number> {
  const data = { locale: entry.locale ?? languages[0], ...(resolve(entry.data, ids) as DemoEntry['data']) }; // an object in, an object out
  const source = entry.localizationOf === undefined ? null : (ids.get(`${type.singularName}.${entry.localizationOf}`) ?? null);
  const loaded =
    source !== null
      ? await createLocalization({ type, id: source }, { data, query: emptyQuery }, context)
      : type.kind === 'singleType'
        ? await updateSingle({ type }, { data, query: emptyQuery }, context)
        : await create(type, data, emptyQuery, context);
  return Number(loaded?.document['_id']);
}

/** Replaces references such as `{ "$ref": "author.ines" }` and `{ "$ref": "file.coral.jpg" }` by ids. */
function resolve(value: unknown, ids: ReadonlyMap<string, number | null>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, ids)).filter((item) => item !== null);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === 'string' && !ids.has($ref)) throw new Error(`the demo refers to the unknown entry ${$ref}`);
  if (typeof $ref === 'string') return ids.get($ref);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, ids)]));
}

/** A file of config/demo/files, as config/demo/files.json lists it. */
interface ListedFile {
  readonly name: string;
  readonly alternativeText: string;
}

/**
 * Stores the bytes and variants of the pictures without publishing them. They are made in parallel, limited by the number of
 * processors.
 */
const preparePictures = (folder: string, listed: readonly ListedFile[], context: Parameters<typeof prepareFile>[2]) =>
  Promise.all(
    listed.map(async (info) => {
      const about = { name: info.name, mime: 'image/jpeg' };
      const staged = await context.staging.stage(createReadStream(join(folder, 'files', info.name)), about);
      return { ...(await prepareFile({ ...staged, ...about }, info, context)), info };
    }),
  );

/** Publishes the pictures inside a transaction. Returns ids by `file.<name>`; all null if there are no pictures. */
async function publish(
  listed: readonly ListedFile[],
  pictures: Parameters<typeof storeFiles>[0] | null,
  content: ContentContext,
): Promise<Ids> {
  const ids = pictures === null ? [] : idsOf(await storeFiles(pictures, content));
  return new Map(listed.map(({ name }, index) => [`file.${name}`, ids[index] ?? null]));
}
