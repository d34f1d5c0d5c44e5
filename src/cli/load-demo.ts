import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '../content/create.js';
import { createLocalization } from '../content/create-localization.js';
import type { ContentContext } from '../content/content-context.js';
import { updateSingle } from '../content/single-type.js';
import { writeModels } from '../mongo/model-store.js';
import type { Backend } from '../mongo/open-backend.js';
import { packageRoot } from '../package-root.js';
import { fullAccess } from '../query/access.js';
import { emptyQuery } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import type { Model } from '../schema/model.js';

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

/** Gives the context of operations that may do everything, on the registry in force. */
export type MakeContext = (access: typeof fullAccess) => ContentContext;

/** Fills an empty database with the demo magazine; does nothing where there is a model already. Gives the number of entries. */
export async function loadDemo(backend: Backend, makeContext: MakeContext): Promise<number> {
  const { db } = backend.store.database;
  if ((await db.collection('_models').estimatedDocumentCount()) > 0) return 0;
  await writeModels(backend.store.database, await readFolder<Model>('models'));
  await backend.models.load();
  await addFrench(backend);
  const ids = new Map<string, number>();
  for (const file of await readFolder<DemoFile>('entries')) await loadFile(file, ids, makeContext(fullAccess));
  return ids.size;
}

async function readFolder<Content>(name: string): Promise<Content[]> {
  const folder = join(packageRoot, 'config', 'demo', name);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Content)); // shipped with the package
}

async function addFrench({ store, models }: Backend): Promise<void> {
  const now = new Date();
  const [id = 2] = await store.ids.next('i18n_locales', 1, store.database);
  const french = { _id: id, code: 'fr', name: 'French (fr)', createdAt: now, updatedAt: now };
  await store.database.db.collection<{ _id: number }>('i18n_locales').insertOne(french);
  await models.load();
}

async function loadFile({ type: uid, entries }: DemoFile, ids: Map<string, number>, context: ContentContext): Promise<void> {
  const type = context.bind.registry.types.get(uid);
  if (type === undefined) throw new Error(`the demo names the unknown type ${uid}`);
  for (const entry of entries) ids.set(`${type.singularName}.${entry.key}`, await loadEntry(type, entry, ids, context));
}

async function loadEntry(
  type: ContentType,
  entry: DemoEntry,
  ids: ReadonlyMap<string, number>,
  context: ContentContext,
): Promise<number> {
  const data = resolve(entry.data, ids) as DemoEntry['data']; // an object in, an object out
  const source = entry.localizationOf === undefined ? undefined : ids.get(`${type.singularName}.${entry.localizationOf}`);
  const loaded =
    source !== undefined
      ? await createLocalization(type, source, { ...data, locale: entry.locale }, emptyQuery, context)
      : type.kind === 'singleType'
        ? await updateSingle(type, data, emptyQuery, context)
        : await create(type, data, emptyQuery, context);
  return Number(loaded?.document['_id']);
}

/** Puts ids in the place of `{ "$ref": "author.ines" }`. */
function resolve(value: unknown, ids: ReadonlyMap<string, number>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, ids));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === 'string') return ids.get($ref) ?? unknownReference($ref);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, ids)]));
}

function unknownReference(reference: string): never {
  throw new Error(`the demo refers to the unknown entry ${reference}`);
}
