import { BSON } from 'mongodb';
import { oncePer } from '#base/caches.js';
import { collections } from '#model/schema/collections.js';
import type { Model, ModelDocument } from '#model/schema/model.js';
import type { Values } from '#base/values.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import { commentIn, type Database, type Document, inScope } from '../send/database.js';
import { unlessPresent } from '../send/ensure-collections.js';
import { inTransaction } from '../send/transaction.js';
import { is } from '../form/matches.js';
import { findStored } from '../stored.js';
import { removedParts } from './removed-store.js';
import { readRights } from './type-rights.js';
import { tellingModels } from './model-events.js';
import { withoutRenamed } from '#model/schema/renames.js';
import { readRenames, type RenameRecord, servedDocuments } from './rename-store.js';

/** Returns the documents of `_models`, or those of some uids, as models with their uid, in a stable order. They are not checked. */
export async function readModels(database: Database, uids?: readonly string[]): Promise<(ModelDocument & Values)[]> {
  const match = uids === undefined ? {} : { _id: is.oneOf(uids) };
  return (await findStored(database, collections.models, { match, sort: { _id: 1 } })).map(modelOf);
}

/**
 * The documents of `_models`, cached. Only documents that may have changed are read again, and an unchanged model is the same
 * object as before. With hundreds of models, reading, decoding and comparing them is what takes time.
 */
export class StoredModels {
  readonly #database: Database;
  /** Sorted by uid. */
  #known: readonly DecodedModel[] = [];
  #models: readonly ModelDocument[] = [];
  /** The uids of models that may have changed since they were read; null if all may have. */
  #stale: Set<string> | null = null;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Records that the named models may have changed, or any model if `uids` is null. */
  invalidate(uids: readonly string[] | null): void {
    if (uids === null) this.#stale = null;
    else for (const uid of uids) this.#stale?.add(uid);
  }

  /**
   * Returns all models as they are stored, without checks. The list is the same object until a model changes. Reads after a read
   * that is under way, because that one may be too old.
   */
  read(): Promise<readonly ModelDocument[]> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #read(): Promise<readonly ModelDocument[]> {
    const stale = this.#stale;
    if (stale?.size === 0) return this.#models;
    this.#stale = new Set();
    try {
      const rows = await readRows(this.#database, stale);
      this.#replace(stale, rows);
    } catch (error) {
      this.#stale = null;
      throw error;
    }
    return this.#models;
  }

  #replace(stale: ReadonlySet<string> | null, rows: readonly Uint8Array[]): void {
    const before = stale === null ? this.#known : this.#known.filter(({ model }) => stale.has(model.uid));
    const after = decode(rows, before);
    if (after.length === before.length && after.every(({ model }, index) => model === before[index]?.model)) return;
    const others = stale === null ? [] : this.#known.filter(({ model }) => !stale.has(model.uid));
    this.#known = [...others, ...after].sort(byUid);
    this.#models = this.#known.map(({ model }) => model);
  }
}

/** A model, and the document that it was decoded from. */
interface DecodedModel {
  readonly bytes: Uint8Array;
  readonly model: ModelDocument;
}

/** Compares models by uid. No two have the same uid. */
const byUid = ({ model: a }: DecodedModel, { model: b }: DecodedModel): number => (a.uid < b.uid ? -1 : 1);

/** Reads documents without decoding them, all if `uids` is null. */
async function readRows(database: Database, uids: ReadonlySet<string> | null): Promise<readonly Uint8Array[]> {
  const models = database.db.collection<{ readonly _id: string }>(collections.models);
  const filter = uids === null ? {} : { _id: { $in: [...uids] } };
  const options = { raw: true, sort: { _id: 1 }, batchSize: 100_000 } as const;
  const rows: unknown[] = await inReadTime(database, () => models.find(filter, options).toArray());
  return rows as Uint8Array[]; // raw
}

/** Decodes rows. Returns the known model for unchanged bytes. Rows and known models must be sorted by uid. */
function decode(rows: readonly Uint8Array[], models: readonly DecodedModel[]): readonly DecodedModel[] {
  let at = 0;
  const take = (bytes: Uint8Array): DecodedModel | undefined => {
    const next = models[at];
    if (next === undefined || Buffer.compare(next.bytes, bytes) !== 0) return undefined;
    at++;
    return { bytes, model: next.model }; // the former bytes would keep the whole reply that they are part of in memory
  };
  return rows.map((bytes) => {
    const same = take(bytes);
    if (same !== undefined) return same;
    const model = modelOf(BSON.deserialize(bytes));
    while ((models[at]?.model.uid ?? model.uid) < model.uid) at++;
    return take(bytes) ?? { bytes, model };
  });
}

const modelOf = ({ _id, ...model }: Document): ModelDocument & Values => ({ ...model, uid: String(_id) });

type StoredModel = Omit<Model, 'uid'> & { readonly _id: string };

const created = oncePer<Database['db']>();

/**
 * Creates the collection, because concurrent transactions cannot. A failure is ignored: the write that follows will report it.
 */
const createModels = (database: Database): Promise<unknown> =>
  created(database.db, () =>
    inWriteTime(database, () => database.db.createCollection(collections.models, commentIn(database))).catch(unlessPresent),
  ).catch(() => undefined);

/**
 * Stores models in one transaction, so that models which need each other appear together. Each replaces the model with its uid.
 */
export async function writeModels(database: Database, models: readonly Model[]): Promise<void> {
  const operations = models.map(({ uid, ...replacement }) => ({
    replaceOne: { filter: { _id: uid }, replacement, upsert: true },
  }));
  if (operations.length === 0) return;
  await createModels(database);
  const written = new Map(models.map(({ uid, ...model }) => [uid, model]));
  await inTransaction(database, (inner) =>
    tellingModels(inner, written, async () => {
      const stored = inner.db.collection<StoredModel>(collections.models);
      await removedParts.note(inner, await readModels(inner, [...written.keys()]), models);
      await inWriteTime(inner, () => stored.bulkWrite(operations, inScope(inner)));
    }),
  );
}

/** Removes a model. Its entries stay. It can be restored, unless another model has renamed it. Returns false if there was none. */
export const removeModel = (database: Database, uid: string, { isRenamed = false } = {}): Promise<boolean> =>
  inTransaction(database, (inner) =>
    tellingModels(inner, new Map([[uid, null]]), async () => {
      const models = inner.db.collection<StoredModel>(collections.models);
      if (!isRenamed) await removedParts.note(inner, await readModels(inner, [uid]), [], await readRights(inner, uid));
      const { deletedCount } = await inWriteTime(inner, () => models.deleteOne({ _id: uid }, inScope(inner)));
      return deletedCount > 0;
    }),
  );

/** Returns models that are about to be stored as they would be served, without those of types that others rename. */
export const servedModels = async (database: Database, documents: readonly ModelDocument[]): Promise<readonly ModelDocument[]> =>
  servedDocuments(withoutRenamed(documents), await readRenames(database));

/** Returns the records of renames that are under way. */
export const openRenames = async (database: Database): Promise<readonly RenameRecord[]> =>
  (await readRenames(database)).filter(({ phase }) => phase !== 'done');
