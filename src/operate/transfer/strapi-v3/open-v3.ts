import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { is } from '#store/form/matches.js';
import { viewPrefix } from '#store/stores/code-store.js';
import type { Database } from '#store/send/database.js';
import { mapIds, readIds, type ForeignDatabase, openForeign } from '../../raw/foreign-database.js';
import type { RecordPlace } from '../../raw/import-ledger.js';
import { appendTo, isRecord, type Values } from '#base/values.js';
import { parseImported } from '../parse-imported.js';
import { placed, sizeOf, type Source, type Stage, type TransferRecord } from '../source.js';
import { readAssets } from './v3-assets.js';
import { keysIn, modelOfKind, recordsOf, type V3Entry } from './v3-entries.js';
import { readDefinitions } from './v3-model-files.js';
import { readV3Model, takenAttributes, toSchema, type V3Model } from './v3-models.js';
import { adaptKey, panelModels } from './v3-panel.js';

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
  /**
   * Whether documents have numbers. Before that, all but those of the panel get the same one, because the source is only inspected.
   */
  isNumbered: boolean;
  /** The numbers of the documents of the panel before that, by key. */
  readonly provisional: Map<string, number>;
}

/** Opens the MongoDB of a Strapi v3 project. Throws an Error if the database has no models. */
export async function openV3({ uri, ...input }: V3Input): Promise<Source> {
  const foreign = await openForeign(uri);
  try {
    return await sourceIn(foreign, input);
  } catch (error) {
    await foreign.close();
    throw error;
  }
}

async function sourceIn(foreign: ForeignDatabase, { project, database }: Omit<V3Input, 'uri'>): Promise<Source> {
  const { description, close } = foreign;
  const settings = await readCoreStore(foreign);
  const models = await readModels(settings, project);
  if (models.length === 0)
    throw new Error(`${description} has no models of Strapi v3: set the folder of the project with --project`);
  const uploads = project === null ? null : join(project, 'public', 'uploads');
  const all = [...models, ...panelModels];
  const source: V3Source = { foreign, models: all, settings, uploads, database, isNumbered: false, provisional: new Map() };
  return {
    identity: createHash('sha256').update(description).digest('hex').slice(0, 32),
    description,
    prepare: async ({ isBegun }) => {
      if (!isBegun) await numberAll(source);
      source.isNumbered = true;
    },
    mayChange: true,
    read: (stages, behind = null, types) => readV3(source, { stages: new Set(stages), behind, types }),
    notes: () => models.flatMap(notesOn),
    close,
  };
}

/** Returns the attributes of a model that cannot be stored. */
const notesOn = (model: V3Model): (readonly [reason: string, where: string])[] =>
  takenAttributes(model).map(([name]) => [
    'an attribute has a name that the service gives to one of its own',
    `${model.uid} ${name}`,
  ]);

/** Returns the models in the database, and those of the project that the database does not have. */
async function readModels(stored: StoredSettings, project: string | null): Promise<readonly V3Model[]> {
  const definitions = stored.flatMap(([key, value]) => (key.startsWith('model_def_') ? [value] : []));
  const models = definitions.flatMap((definition) => readV3Model(definition) ?? []);
  const written = project === null ? [] : (await readDefinitions(project)).flatMap((definition) => readV3Model(definition) ?? []);
  return [...models, ...written.filter(({ uid }) => models.every((model) => model.uid !== uid))];
}

type StoredSettings = readonly (readonly [key: string, value: unknown])[];

async function readCoreStore(foreign: ForeignDatabase): Promise<StoredSettings> {
  const plugins = ['plugin_users-permissions_', 'plugin_i18n_', 'plugin_upload_settings', viewPrefix];
  const filter = { key: is.startingWith('model_def_', ...plugins) };
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

interface V3Reading {
  readonly stages: ReadonlySet<Stage>;
  readonly behind: RecordPlace | null;
  /** The types whose entries are read; all if undefined. */
  readonly types: readonly string[] | undefined;
}

async function* readV3(source: V3Source, reading: V3Reading): AsyncGenerator<TransferRecord> {
  const { models, settings } = source;
  const { stages, behind } = reading;
  if (stages.has('schemas'))
    for (const schema of models.filter((model) => !panelModels.includes(model)).map((model) => toSchema(model, models)))
      yield { stage: 'schemas', schema, bytes: sizeOf(schema) };
  if (stages.has('entities') || stages.has('links')) yield* readEntries(source, reading);
  if (stages.has('assets')) yield* readAssets(source, behind);
  if (stages.has('configuration'))
    for (const [key, value] of settings)
      if (!key.startsWith('model_def_'))
        yield { stage: 'configuration', key: adaptKey(key, models), value, bytes: sizeOf(value) };
}

/** Reads all entries, always in the same order, starting at a position if one is given. */
async function* readEntries(source: V3Source, { stages, behind, types: wanted }: V3Reading): AsyncGenerator<TransferRecord> {
  const types = source.models
    .filter(({ uid }) => uid.includes('::') && (wanted?.includes(uid) ?? true))
    .sort((one, other) => (one.uid < other.uid ? -1 : 1));
  const first = behind === null ? 0 : types.findIndex(({ uid }) => uid === behind.type);
  if (first === -1) throw new Error(`${source.foreign.description} no longer has ${behind?.type ?? ''}`);
  for (const [index, model] of types.slice(first).entries())
    yield* readType(source, model, { stages, behind: index === 0 ? behind : null });
}

async function* readType(
  source: V3Source,
  model: V3Model,
  { stages, behind }: Omit<V3Reading, 'types'>,
): AsyncGenerator<TransferRecord> {
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

const numbersOf = async (
  { database, isNumbered, provisional }: V3Source,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  if (isNumbered) return readIds(database, keys);
  for (const key of keys) if (isOfPanel(key) && !provisional.has(key)) provisional.set(key, provisional.size + 1);
  return new Map(keys.map((key) => [key, provisional.get(key) ?? 1]));
};

const isOfPanel = (key: string): boolean => panelModels.some(({ collection }) => key.startsWith(`${collection}:`));

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
    if (model !== null) appendTo(wanted, model, refOf(place));
  }
  const parts = new Map<string, V3Entry>();
  for (const [model, ids] of wanted) {
    const documents = await source.foreign.readByIds(model.collection, ids);
    for (const part of await expand(source, model, documents)) parts.set(String(part.document['_id']), part);
  }
  return parts;
}
