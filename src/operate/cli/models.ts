import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { servedCollections } from '#store/models/served-collections.js';
import { removeType } from '#accounts/roles/grant-actions.js';
import { createStore } from '#store/store.js';
import { reportShard, shardType } from '#store/models/shard-types.js';
import { openRenames, readModels, servedModels } from '#store/stores/model-store.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { isStoredAs } from '#model/schema/model.js';
import { describeReport, reportModels } from '#model/schema/report-models.js';
import { addModels, describeChange } from './add-models.js';
import { runIndex } from './model-indexes.js';
import { type ModelDocument, modelPath, writeModelFile } from '#strapi/load/model-files.js';
import { readModelFiles, shownFile } from './model-files.js';
import { openDatabase, type OpenedDatabase } from './open-service.js';
import { print, printError, printTable } from './print.js';
import { recordCommand } from './record-command.js';
import { findCommand, requiredArgument, taking } from './usage-error.js';
import { convertModel } from './convert-model.js';
import { listRemoved, purgeRemoved, restoreRemoved } from './removed-models.js';
import { validateModels } from './validate-models.js';

export const usage = `usage: npx mangrove models <command>
  list                print the stored models and their problems
  add PATH...         store the models of a Strapi project, of its src, or of any folder or file
      --dry-run       print what would be stored, and store nothing
      --watch         keep watching, and store what changes
      --force         also store models that remove attributes of stored ones, without a question
  diff PATH...        print how the models of a folder differ from the stored ones
  pull DIR            write the stored models into the folder of a Strapi project, as schema.json files
  export DIR          write each stored model with its uid to DIR/<uid>.json
  validate [PATH...]  print the problems and shard keys of the stored models, or of those of files and folders, and
                      count the stored entries that would break a new rule of theirs
      --json          print them as JSON
  shard [UID...]      shard the collections of models that have a shard key, on a sharded cluster
  index add UID FIELD[:-1]...
                      create an index of these attributes in the background; :-1 is the descending order
  index list [UID]    print the indexes of all models or of one, with their sizes and uses
  index drop UID NAME drop an index that was made by index add
  remove UID          remove a model; its entries are kept
  removed             list removed models and attributes whose data is still stored (--json)
  restore-removed UID [ATTRIBUTE]
                      put a removed model or attribute back, with its data
  purge UID [ATTRIBUTE] --yes
                      delete the data of a removed model or attribute; without --yes print what would be deleted
  convert UID ATTRIBUTE --to TYPE
                      change the type of an attribute, and convert its stored values
      --dry-run       count the values that can be converted and those that cannot, and change nothing
      --unconvertible null
                      set values that cannot be converted to null
      --enum A,B      the values of an enumeration; by default those that are stored
      --json          print the counts as JSON`;

/** A subcommand. Returns the exit code. */
type Command = (opened: OpenedDatabase, args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  list: taking(0, list),
  add: addModels,
  diff: diffModels,
  pull: taking(1, pullModels),
  export: taking(1, exportModels),
  remove: taking(1, remove),
  removed: listRemoved,
  'restore-removed': restoreRemoved,
  purge: purgeRemoved,
  convert: convertModel,
  validate: validateModels,
  shard: shardModels,
  index: runIndex,
};

async function list({ database, settings }: OpenedDatabase): Promise<number> {
  const models = await servedModels(database, await readModels(database));
  const moving = new Set((await openRenames(database)).map(({ uid }) => uid));
  const build = buildRegistry(models, { ...settings, foreign: await servedCollections.findForeign(models, database) });
  for (const { uid } of models) print(`${uid}${build.problems.has(uid) ? '  not in force' : moving.has(uid) ? '  moving' : ''}`);
  if (models.length === 0) print('no models');
  for (const report of reportModels(build)) {
    const line = describeReport(report);
    if (line !== null) printError(line);
  }
  return build.problems.size > 0 ? 1 : 0;
}

async function exportModels({ database }: OpenedDatabase, [word]: readonly string[]): Promise<number> {
  const directory = requiredArgument(word, 'a folder');
  await mkdir(directory, { recursive: true });
  for (const model of await readModels(database)) {
    const file = join(directory, `${model.uid.replaceAll('::', '-')}.json`);
    await writeFile(file, `${JSON.stringify(model, null, 2)}\n`);
    print(file);
  }
  return 0;
}

async function remove({ database }: OpenedDatabase, [word]: readonly string[]): Promise<number> {
  const uid = requiredArgument(word, 'a uid');
  const isRemoved = await recordCommand(database, ['models remove', [uid]], () => removeType(uid, createStore(database)));
  if (!isRemoved) throw new Error(`there is no model ${uid}`);
  print(`removed ${uid}`);
  return 0;
}

/** Prints the differences between models of files and folders and the stored ones. Returns the exit code, 1 if there are any. */
async function diffModels({ database }: OpenedDatabase, paths: readonly string[]): Promise<number> {
  requiredArgument(paths[0], 'a file or folder');
  const { models, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map(models.map(({ document }) => [document.uid, document]));
  const rows = [
    ...unreadable.map(({ file, reason }) => ['unreadable', shownFile(file), reason]),
    ...[...documents.values()].flatMap((document) => differenceOf(document, stored)),
    ...stored.filter(({ uid }) => !documents.has(uid)).map(({ uid }) => ['only stored', uid, '']),
  ];
  printTable(rows);
  if (rows.length === 0) print('no differences');
  return rows.length > 0 ? 1 : 0;
}

function differenceOf(document: ModelDocument, stored: readonly ModelDocument[]): string[][] {
  const before = stored.find(({ uid }) => uid === document.uid);
  if (before === undefined) return [['only in files', document.uid, '']];
  return isStoredAs(document, stored) ? [] : [['differs', document.uid, describeChange(before, document)]];
}

/**
 * Writes the stored models into the folder of a Strapi project. Existing files of changed models are overwritten. Files of models
 * that are not stored are kept. Returns the exit code.
 */
async function pullModels({ database }: OpenedDatabase, [word]: readonly string[]): Promise<number> {
  const directory = requiredArgument(word, 'a folder');
  await mkdir(directory, { recursive: true });
  const { models } = await readModelFiles([directory]);
  const stored: readonly ModelDocument[] = await readModels(database);
  const rows = await Promise.all(
    stored.map(async (document) => {
      const present = models.find((model) => model.document.uid === document.uid);
      const file = present?.file ?? modelPath(document.uid, directory);
      if (present !== undefined && isStoredAs(present.document, stored)) return ['unchanged', document.uid, shownFile(file)];
      await writeModelFile(document, file);
      return ['written', document.uid, shownFile(file)];
    }),
  );
  const extra = models.filter(({ document }) => stored.every(({ uid }) => uid !== document.uid));
  printTable([...rows, ...extra.map(({ file, document }) => ['not stored', document.uid, shownFile(file)])]);
  return 0;
}

/**
 * Shards the collections of all models that have a shard key, or only of the given ones. Returns the exit code, 1 if a key is
 * refused.
 */
async function shardModels({ database, settings }: OpenedDatabase, uids: readonly string[]): Promise<number> {
  if (!database.isSharded) throw new Error('the database is not a sharded cluster: MONGODB_URI must name a mongos');
  const models = await readModels(database);
  const { registry } = buildRegistry(models, settings);
  const missing = uids.filter((uid) => !registry.types.has(uid));
  if (missing.length > 0) throw new Error(`there is no model ${missing.join(', ')}`);
  const keyed = [...registry.types.values()].filter(
    ({ uid, shard }) => shard !== null && (uids.length === 0 || uids.includes(uid)),
  );
  const rows: string[][] = [];
  for (const type of keyed) {
    const { problems } = reportShard(type, registry);
    if (problems.length === 0) await recordCommand(database, ['models shard', [type.uid]], () => shardType(type, database));
    rows.push(
      ...(problems.length > 0
        ? problems.map((problem) => ['refused', type.uid, problem])
        : [['sharded', type.uid, JSON.stringify(type.shard)]]),
    );
  }
  printTable(rows);
  if (keyed.length === 0) print('no model has a shard key');
  return rows.some(([state]) => state === 'refused') ? 1 : 0;
}

/** Runs a subcommand. Returns the exit code. */
export async function run([name = '', ...args]: readonly string[]): Promise<number> {
  const command = findCommand('models', name, commands);
  const opened = await openDatabase();
  try {
    return await command(opened, args);
  } finally {
    await opened.close();
  }
}
