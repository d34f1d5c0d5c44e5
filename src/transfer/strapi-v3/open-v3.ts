import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startingWith } from '../../mongo/form/matches.js';
import type { Database } from '../../mongo/send/database.js';
import { type ForeignDatabase, openForeign } from '../../mongo/transfer/foreign-database.js';
import type { RecordPlace } from '../../mongo/transfer/import-ledger.js';
import { mapIds, readIds } from '../../mongo/transfer/id-map.js';
import { uploadFile } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import { parseImported } from '../parse-imported.js';
import { type AssetRecord, placed, type PlacedRecord, sizeOf, type Source, type Stage, type TransferRecord } from '../source.js';
import { keysIn, modelOfKind, recordsOf, type V3Entry } from './v3-entries.js';
import { readDefinitions } from './v3-model-files.js';
import { readV3Model, toSchema, type V3Model } from './v3-models.js';

interface V3Input {
  readonly uri: string;
  /** The folder of the project, with its models and uploads; null if there is none. */
  readonly project: string | null;
  /** The database that stores the numbers of documents. */
  readonly database: Database;
}

interface V3Source {
  readonly foreign: ForeignDatabase;
  readonly models: readonly V3Model[];
  readonly settings: StoredSettings;
  readonly uploads: string | null;
  readonly database: Database;
  /** Whether documents have numbers. Before that, all get the same one, because the source is only inspected. */
  isNumbered: boolean;
}

/** Opens the MongoDB of a Strapi v3 project. Throws an Error if the database has no models. */
export async function openV3({ uri, project, database }: V3Input): Promise<Source> {
  const foreign = await openForeign(uri);
  const stored = await readCoreStore(foreign);
  const models = await readModels(stored, project).catch(async (error: unknown) => {
    await foreign.close();
    throw error;
  });
  if (models.length === 0) {
    await foreign.close();
    throw new Error(`${foreign.description} has no models of Strapi v3: set the folder of the project with --project`);
  }
  const uploads = project === null ? null : join(project, 'public', 'uploads');
  const source: V3Source = { foreign, models, settings: stored, uploads, database, isNumbered: false };
  return {
    identity: createHash('sha256').update(foreign.description).digest('hex').slice(0, 32),
    description: foreign.description,
    prepare: async ({ isBegun }) => {
      if (!isBegun) await numberAll(source);
      source.isNumbered = true;
    },
    mayChange: true,
    read: (stages, behind = null) => readV3(source, new Set(stages), behind),
    close: foreign.close,
  };
}

/** Returns the models in the database, and those of the project that the database does not have. */
async function readModels(stored: StoredSettings, project: string | null): Promise<readonly V3Model[]> {
  const definitions = stored.flatMap(([key, value]) => (key.startsWith('model_def_') ? [value] : []));
  const kept = definitions.flatMap((definition) => readV3Model(definition) ?? []);
  const written = project === null ? [] : (await readDefinitions(project)).flatMap((definition) => readV3Model(definition) ?? []);
  return [...kept, ...written.filter(({ uid }) => kept.every((model) => model.uid !== uid))];
}

type StoredSettings = readonly (readonly [key: string, value: unknown])[];

async function readCoreStore(foreign: ForeignDatabase): Promise<StoredSettings> {
  const filter = { key: startingWith('model_def_', 'plugin_users-permissions_', 'plugin_i18n_') };
  const settings = [];
  for await (const rows of foreign.read('core_store', { filter })) settings.push(...rows);
  return settings.map(({ key, value }) => [String(key), parse(key, value)]);
}

/** Returns the JSON in a setting; the setting itself if it is not JSON. */
const parse = (key: unknown, value: unknown): unknown =>
  parseImported(Buffer.from(String(value)), `the setting ${String(key)}`).value ?? value;

/** Assigns a number to every document, before any link is read. */
async function numberAll({ foreign, models, database }: V3Source): Promise<void> {
  for (const { collection } of models) await mapIds(database, collection, idsOf(foreign, collection));
}

async function* idsOf(foreign: ForeignDatabase, collection: string): AsyncGenerator<readonly string[]> {
  for await (const rows of foreign.read(collection, { projection: { _id: 1 } })) yield rows.map(({ _id }) => String(_id));
}

async function* readV3(source: V3Source, stages: ReadonlySet<Stage>, behind: RecordPlace | null): AsyncGenerator<TransferRecord> {
  const { models, settings } = source;
  if (stages.has('schemas'))
    for (const schema of models.map((model) => toSchema(model, models)))
      yield { stage: 'schemas', schema, bytes: sizeOf(schema) };
  if (stages.has('entities') || stages.has('links')) yield* readEntries(source, stages, behind);
  if (stages.has('assets')) yield* readAssets(source, behind);
  if (stages.has('configuration'))
    for (const [key, value] of settings)
      if (!key.startsWith('model_def_')) yield { stage: 'configuration', key, value, bytes: sizeOf(value) };
}

/** Reads all entries, always in the same order, starting at a position if one is given. */
async function* readEntries(
  source: V3Source,
  stages: ReadonlySet<Stage>,
  behind: RecordPlace | null,
): AsyncGenerator<TransferRecord> {
  const types = source.models.filter(({ uid }) => uid.includes('::')).sort((one, other) => (one.uid < other.uid ? -1 : 1));
  const first = behind === null ? 0 : types.findIndex(({ uid }) => uid === behind.type);
  if (first === -1) throw new Error(`${source.foreign.description} no longer has ${behind?.type ?? ''}`);
  for (const [index, model] of types.slice(first).entries())
    yield* readType(source, model, { stages, behind: index === 0 ? behind : null });
}

interface V3Reading {
  readonly stages: ReadonlySet<Stage>;
  readonly behind: RecordPlace | null;
}

async function* readType(source: V3Source, model: V3Model, { stages, behind }: V3Reading): AsyncGenerator<TransferRecord> {
  const { foreign, models } = source;
  for await (const documents of foreign.read(model.collection, { from: behind?.id ?? null })) {
    const entries = await expand(source, model, documents);
    const numbers = await numbersOf(source, [...new Set(entries.flatMap((entry) => keysIn(entry, models)))]);
    for (const entry of entries)
      yield* placed(
        { type: model.uid, id: String(entry.document['_id']) },
        recordsOf(entry, { models, numbers }, stages),
        behind,
      );
  }
}

const numbersOf = async ({ database, isNumbered }: V3Source, keys: readonly string[]): Promise<ReadonlyMap<string, number>> =>
  isNumbered ? readIds(database, keys) : new Map(keys.map((key) => [key, 1]));

/** Reads the components of documents, by one command per collection of components. */
async function expand(source: V3Source, model: V3Model, documents: readonly Values[]): Promise<readonly V3Entry[]> {
  const fields = Object.entries(model.attributes).filter(([, { type }]) => type === 'component' || type === 'dynamiczone');
  if (fields.length === 0) return documents.map((document) => ({ model, document, parts: new Map() }));
  const places = documents.flatMap((document) => fields.flatMap(([name]) => [document[name] ?? []].flat()));
  const found = await readParts(source, places);
  return documents.map((document) => ({
    model,
    document,
    parts: new Map(
      fields.map(([name]) => [name, [document[name] ?? []].flat().flatMap((place) => found.get(refOf(place)) ?? [])]),
    ),
  }));
}

const refOf = (place: unknown): string => (isRecord(place) ? String(place['ref']) : '');

async function readParts(source: V3Source, places: readonly unknown[]): Promise<ReadonlyMap<string, V3Entry>> {
  const wanted = new Map<V3Model, string[]>();
  for (const place of places) {
    const model = modelOfKind(place, source.models);
    if (model !== null) wanted.set(model, [...(wanted.get(model) ?? []), refOf(place)]);
  }
  const parts = new Map<string, V3Entry>();
  for (const [model, ids] of wanted) {
    const documents = await source.foreign.readByIds(model.collection, ids);
    for (const part of await expand(source, model, documents)) parts.set(String(part.document['_id']), part);
  }
  return parts;
}

/** Reads the files in the folder of the project. */
async function* readAssets({ foreign, models, uploads }: V3Source, behind: RecordPlace | null): AsyncGenerator<PlacedRecord> {
  const files = models.find(({ uid }) => uid === uploadFile);
  if (uploads === null || files === undefined) return;
  for await (const rows of foreign.read(files.collection, { from: behind?.id ?? null }))
    for (const row of rows)
      yield* placed({ type: uploadFile, id: String(row['_id']) }, await assetsAt(uploads, placesOf(row)), behind);
}

/** Returns a file and its variants. */
const placesOf = (file: Values): readonly Values[] => [
  file,
  ...Object.values(isRecord(file['formats']) ? file['formats'] : {}).filter(isRecord),
];

async function assetsAt(uploads: string, places: readonly Values[]): Promise<readonly AssetRecord[]> {
  const assets: AssetRecord[] = [];
  for (const { hash, ext } of places) {
    const name = `${String(hash)}${String(ext ?? '')}`;
    const path = join(uploads, name);
    const found = basename(name) === name ? await lstat(path).catch(() => null) : null;
    if (found?.isFile() !== true) continue;
    assets.push({ stage: 'assets', name, size: found.size, open: () => readPlain(path) });
  }
  return assets;
}

/** Reads a file. Fails if a symbolic link has replaced the file in the meantime. */
async function* readPlain(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  for await (const bytes of handle.createReadStream()) yield bytes as Uint8Array; // no encoding is set
}
