import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findForeign } from '../mongo/models/served-collections.js';
import { readModels, removeModel } from '../mongo/stores/model-store.js';
import { buildRegistry } from '../schema/build-registry.js';
import { describeReport, reportModels } from '../schema/report-models.js';
import { addModels } from './add-models.js';
import { recordCommand } from './run-command.js';
import { diffModels, pullModels } from './compare-models.js';
import { shardModels, validateModels } from './validate-models.js';
import { openDatabase, type OpenedDatabase } from './open-database.js';
import { findCommand, required } from './usage-error.js';
import { print, printError } from './print.js';

export const usage = `usage: npx mangrove models <command>
  list                print the stored models and their problems
  add PATH...         store the models of a Strapi project, of its src, or of any folder or file
      --dry-run       print what would be stored, and store nothing
      --watch         keep watching, and store what changes
      --force         also store models that remove attributes of stored ones, without a question
  diff PATH...        print how the models of a folder differ from the stored ones
  pull DIR            write the stored models into the folder of a Strapi project, as schema.json files
  export DIR          write each stored model with its uid to DIR/<uid>.json
  validate [PATH...]  print the problems and shard keys of the stored models, or of those of a folder
  shard [UID...]      shard the collections of models that have a shard key, on a sharded cluster
  remove UID          remove a model; its entries are kept`;

/** A subcommand. Returns the exit code. */
type Command = (opened: OpenedDatabase, args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  list,
  add: addModels,
  diff: diffModels,
  pull: pullModels,
  export: exportModels,
  remove,
  validate: validateModels,
  shard: shardModels,
};

async function list({ database, settings }: OpenedDatabase): Promise<number> {
  const models = await readModels(database);
  const build = buildRegistry(models, { ...settings, foreign: await findForeign(models, database) });
  for (const { uid } of models) print(`${uid}${build.problems.has(uid) ? '  not in force' : ''}`);
  if (models.length === 0) print('no models');
  for (const report of reportModels(build)) {
    const line = describeReport(report);
    if (line !== null) printError(line);
  }
  return build.problems.size > 0 ? 1 : 0;
}

async function exportModels({ database }: OpenedDatabase, [word]: readonly string[]): Promise<number> {
  const directory = required(word, 'a folder');
  await mkdir(directory, { recursive: true });
  for (const model of await readModels(database)) {
    const file = join(directory, `${model.uid.replaceAll('::', '-')}.json`);
    await writeFile(file, `${JSON.stringify(model, null, 2)}\n`);
    print(file);
  }
  return 0;
}

async function remove({ database }: OpenedDatabase, [word]: readonly string[]): Promise<number> {
  const uid = required(word, 'a uid');
  const isRemoved = await recordCommand(database, ['models remove', [uid]], () => removeModel(database, uid));
  if (!isRemoved) return fail(`there is no model ${uid}`);
  print(`removed ${uid}`);
  return 0;
}

function fail(message: string): number {
  printError(message);
  return 1;
}

/** Runs a subcommand. Returns the exit code. */
export async function run([name = '', ...args]: readonly string[]): Promise<number> {
  const command = findCommand('models', name, commands);
  const opened = await openDatabase();
  return command(opened, args).finally(() => opened.close());
}
