import { type CreateCollectionOptions, type IndexDescription, BSON } from 'mongodb';
import { isRecord, type Values } from '#base/values.js';
import type { Database } from '#store/send/database.js';
import { unlessPresent } from '#store/send/ensure-collections.js';
import { backupRule } from '#store/send/own-collections.js';
import { patiently } from './patiently.js';
import { messageOf } from '#base/errors.js';

/** The names of staging collections of imports and restores, and of the server itself. */
const leftOutPattern = '^(_import_|system\\.)';

/** Returns the collections that are not part of backups, by name and by a pattern of names. */
export const outsideOfBackups = ({ ownCollections }: Database) => ({
  names: [...ownCollections.keys()].filter((name) => backupRule(ownCollections, name) === 'never'),
  pattern: leftOutPattern,
});

/** Returns whether backups contain a collection. */
export const isBackedUp = (name: string, own: Database['ownCollections']): boolean =>
  backupRule(own, name) !== 'never' && !new RegExp(leftOutPattern).test(name);

/** A collection without its documents, as Extended JSON. */
export interface CollectionPlan {
  readonly name: string;
  readonly options: Values;
  readonly indexes: readonly Values[];
}

/** Returns the collections of a database that backups contain, by name. */
export async function listBackedUp(database: Database): Promise<readonly CollectionPlan[]> {
  const names = await backedUpNames(database);
  return Promise.all(names.map(({ name, options }) => planOf(database, name, options)));
}

async function backedUpNames(database: Database): Promise<readonly { readonly name: string; readonly options: object }[]> {
  const { db, ownCollections } = database;
  const collections = await patiently(() => db.listCollections().toArray());
  return collections
    .filter(({ name, type = 'collection' }) => type === 'collection' && isBackedUp(name, ownCollections))
    .map(({ name, ...info }) => ({ name, options: ('options' in info && info.options) || {} }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function planOf({ db }: Database, name: string, options: object): Promise<CollectionPlan> {
  const indexes = await patiently(() => db.collection(name).listIndexes().toArray());
  const own = indexes.filter(({ name: index }) => index !== '_id_');
  return { name, options: toJson(options), indexes: own.map(withoutVersion).map(toJson) };
}

/** Returns an index without the version of its form, which the server chooses. */
const withoutVersion = (index: object): object => Object.fromEntries(Object.entries(index).filter(([key]) => key !== 'v'));

const toJson = (value: object): Values => BSON.EJSON.serialize(value, { relaxed: false }) as Values;

/** Returns whether a value has the form of a plan. */
export const isPlan = (value: unknown, own: Database['ownCollections']): value is CollectionPlan =>
  isRecord(value) &&
  typeof value['name'] === 'string' &&
  isBackedUp(value['name'], own) &&
  isRecord(value['options']) &&
  Array.isArray(value['indexes']) &&
  value['indexes'].every(isRecord);

/** Creates an empty collection with the options of a plan, under another name, unless it exists. */
export async function createPlanned({ db }: Database, { options }: CollectionPlan, name: string): Promise<void> {
  const collectionOptions = BSON.EJSON.deserialize(options) as CreateCollectionOptions;
  await patiently(() => db.createCollection(name, collectionOptions)).catch(unlessPresent);
}

/** Creates the indexes of a plan on a collection. Returns a line for each that could not be built. */
export async function indexPlanned({ db }: Database, { name, indexes }: CollectionPlan, target: string): Promise<string[]> {
  const specs = indexes.map((index) => BSON.EJSON.deserialize(index) as IndexDescription);
  const build = (some: readonly IndexDescription[]) => patiently(() => db.command({ createIndexes: target, indexes: some }));
  const problems: string[] = [];
  const buildEach = async (): Promise<void> => {
    for (const spec of specs)
      await build([spec]).catch((error: unknown) => {
        const reason = messageOf(error);
        problems.push(`the index ${String(spec.name)} of ${name} is not built: ${reason}`);
      });
  };
  await build(specs).catch(buildEach);
  return problems;
}

/** Returns the number of documents of collections, by their metadata. */
export async function countBackedUp({ db }: Database, plans: readonly CollectionPlan[]): Promise<number> {
  const counts = await Promise.all(plans.map(({ name }) => db.collection(name).estimatedDocumentCount()));
  return counts.reduce((sum, count) => sum + count, 0);
}
