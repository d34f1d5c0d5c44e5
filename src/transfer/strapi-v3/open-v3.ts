import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startingWith } from '../../mongo/matches.js';
import type { Database } from '../../mongo/database.js';
import { type ForeignDatabase, openForeign } from '../../mongo/transfer/foreign-database.js';
import { mapIds, readIds } from '../../mongo/transfer/id-map.js';
import { isRecord, type Values } from '../../values.js';
import type { AssetRecord, Source, Stage, TransferRecord } from '../source.js';
import { keysIn, modelOfKind, toEntry, toLinks, type V3Entry } from './v3-entries.js';
import { readV3Model, toSchema, type V3Model } from './v3-models.js';
import { adaptDocument } from './v3-plugins.js';

interface V3Input {
  readonly uri: string;
  /** The folder of the project, where its uploads are; null: files keep their addresses. */
  readonly project: string | null;
  /** Where the numbers of documents are kept. */
  readonly database: Database;
}

interface V3Source {
  readonly foreign: ForeignDatabase;
  readonly models: readonly V3Model[];
  readonly settings: readonly (readonly [key: string, value: unknown])[];
  readonly uploads: string | null;
  readonly database: Database;
}

/** Opens the MongoDB of a Strapi v3 project. Throws an Error if it holds none. */
export async function openV3({ uri, project, database }: V3Input): Promise<Source> {
  const foreign = await openForeign(uri);
  const stored = await readCoreStore(foreign);
  const models = stored.flatMap(([key, value]) => (key.startsWith('model_def_') ? (readV3Model(value) ?? []) : []));
  if (models.length === 0) {
    await foreign.close();
    throw new Error(`${foreign.description} holds no models of Strapi v3: its core_store has none`);
  }
  const uploads = project === null ? null : join(project, 'public', 'uploads');
  const source: V3Source = { foreign, models, settings: stored, uploads, database };
  return {
    identity: createHash('sha256').update(foreign.description).digest('hex').slice(0, 32),
    description: foreign.description,
    prepare: () => numberAll(source),
    read: (stages) => readV3(source, new Set(stages)),
    close: foreign.close,
  };
}

async function readCoreStore(foreign: ForeignDatabase): Promise<readonly (readonly [string, unknown])[]> {
  const filter = { key: startingWith('model_def_', 'plugin_users-permissions_', 'plugin_i18n_') };
  const settings = [];
  for await (const rows of foreign.read('core_store', filter)) settings.push(...rows);
  return settings.map(({ key, value }) => [String(key), parse(value)]);
}

function parse(value: unknown): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return value;
  }
}

/** Gives every document its number before any link is read. */
async function numberAll({ foreign, models, database }: V3Source): Promise<void> {
  for (const { collection } of models) await mapIds(database, collection, idsOf(foreign, collection));
}

async function* idsOf(foreign: ForeignDatabase, collection: string): AsyncGenerator<readonly string[]> {
  for await (const rows of foreign.read(collection)) yield rows.map(({ _id }) => String(_id));
}

async function* readV3(source: V3Source, stages: ReadonlySet<Stage>): AsyncGenerator<TransferRecord> {
  const { models, settings } = source;
  if (stages.has('schemas')) for (const model of models) yield { stage: 'schemas', schema: toSchema(model, models) };
  if (stages.has('entities') || stages.has('links'))
    for (const model of models.filter(({ uid }) => uid.includes('::'))) yield* readType(source, model, stages);
  if (stages.has('assets')) yield* readAssets(source);
  if (stages.has('configuration'))
    for (const [key, value] of settings) if (!key.startsWith('model_def_')) yield { stage: 'configuration', key, value };
}

async function* readType(source: V3Source, model: V3Model, stages: ReadonlySet<Stage>): AsyncGenerator<TransferRecord> {
  const { foreign, models, database } = source;
  for await (const documents of foreign.read(model.collection)) {
    const entries = await expand(source, model, documents);
    const numbers = await readIds(database, [...new Set(entries.flatMap((entry) => keysIn(entry, models)))]);
    const context = { models, numbers };
    if (stages.has('entities'))
      for (const entry of entries) yield* adaptDocument(toEntry(entry, context), entry.document, models);
    if (stages.has('links'))
      yield* entries.flatMap((entry) => toLinks(entry, context)).map((link) => ({ stage: 'links', ...link }) as const);
  }
}

/** Reads the components of documents, one command for each collection of components. */
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

/** The bytes of files that lie in the project. */
async function* readAssets({ foreign, models, uploads }: V3Source): AsyncGenerator<AssetRecord> {
  const files = models.find(({ uid }) => uid === 'plugin::upload.file');
  if (uploads === null || files === undefined) return;
  for await (const rows of foreign.read(files.collection)) yield* assetsAt(uploads, rows.flatMap(placesOf));
}

/** A file and its variants. */
const placesOf = (file: Values): readonly Values[] => [
  file,
  ...Object.values(isRecord(file['formats']) ? file['formats'] : {}).filter(isRecord),
];

async function* assetsAt(uploads: string, places: readonly Values[]): AsyncGenerator<AssetRecord> {
  for (const { hash, ext } of places) {
    const name = `${String(hash)}${String(ext ?? '')}`;
    const path = join(uploads, name);
    const found = basename(name) === name ? await lstat(path).catch(() => null) : null;
    if (found?.isFile() !== true) continue;
    yield { stage: 'assets', name, size: found.size, open: () => readPlain(path) };
  }
}

/** A link that has come since is not followed. */
async function* readPlain(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  for await (const bytes of handle.createReadStream()) yield bytes as Uint8Array; // no encoding is set
}
