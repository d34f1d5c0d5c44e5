import type { Database } from '../mongo/database.js';
import { findForeign } from '../mongo/models/served-collections.js';
import { reportShard, shardType } from '../mongo/models/shard-types.js';
import { readModels } from '../mongo/stores/model-store.js';
import { buildRegistry, type RegistryBuild } from '../schema/build-registry.js';
import type { ContentType } from '../schema/content-type.js';
import { warningText } from '../schema/report-models.js';
import { readModelFiles, shownFile } from './model-files.js';
import type { OpenedDatabase } from './open-database.js';
import { recordCommand } from './run-command.js';
import { parseWords } from './usage-error.js';
import { print, printTable } from './print.js';

/**
 * Prints the problems, warnings and shard keys of the stored models. Models of the given files replace stored ones or are added,
 * but not stored. Returns the exit code, 1 if a model has a problem or its shard key is refused.
 */
export async function validateModels({ database, settings }: OpenedDatabase, words: readonly string[]): Promise<number> {
  const { positionals: paths } = parseWords({ args: [...words], allowPositionals: true });
  const { models: given, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map([...stored, ...given.map(({ document }) => document)].map((document) => [document.uid, document]));
  const models = [...documents.values()];
  const build = buildRegistry(models, { ...settings, foreign: await findForeign(models, database) });
  const refused = [
    ...unreadable.map(({ file, reason }) => ['refused', shownFile(file), reason]),
    ...[...build.problems].flatMap(([uid, problems]) => problems.map((problem) => ['refused', uid, problem])),
    ...shardRows(build, 'problems').map(([uid, problem]) => ['not sharded', uid, problem]),
  ];
  const warnings = [...build.warnings].flatMap(([uid, texts]) => texts.map((text) => ['warning', uid, warningText(text)]));
  printTable([...refused, ...warnings, ...shardRows(build, 'notes').map(([uid, note]) => ['shard', uid, note])]);
  if (refused.length === 0) print(`${String(documents.size)} models are valid`);
  return refused.length > 0 ? 1 : 0;
}

const shardRows = ({ registry }: RegistryBuild, part: 'problems' | 'notes'): [uid: string, line: string][] =>
  [...registry.types.values()].flatMap((type) =>
    reportShard(type, registry)[part].map((line): [string, string] => [type.uid, line]),
  );

/**
 * Shards the collections of all models that have a shard key, or only of the given ones. Returns the exit code, 1 if a key is
 * refused.
 */
export async function shardModels({ database, settings }: OpenedDatabase, uids: readonly string[]): Promise<number> {
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
    if (problems.length === 0) await shardOne(type, database);
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

async function shardOne(type: ContentType, database: Database): Promise<void> {
  await recordCommand(database, ['models shard', [type.uid]], async () => {
    await shardType(type, database);
    return true;
  });
}
