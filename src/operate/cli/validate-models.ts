import { servedCollections } from '#store/models/served-collections.js';
import { reportShard } from '#store/models/shard-types.js';
import { readModels, servedModels } from '#store/stores/model-store.js';
import { buildRegistry, type RegistryBuild } from '#model/schema/build-registry.js';
import { warningText } from '#model/schema/report-models.js';
import { readModelFiles, shownFile } from './model-files.js';
import type { OpenedDatabase } from './open-service.js';
import { print, printTable } from './print.js';
import { dataRow, shownData, unfitIn } from './unfit-rows.js';
import { flag, parseWords } from './usage-error.js';

/**
 * Prints the problems, warnings and shard keys of the stored models. Models of the given files replace stored ones or are added, but
 * not stored, and the stored entries that break their new rules are counted. Returns the exit code, 1 if a model has a problem, its
 * shard key is refused, or entries break a rule.
 */
export async function validateModels({ database, settings }: OpenedDatabase, words: readonly string[]): Promise<number> {
  const { values, positionals: paths } = parseWords(words, { json: flag });
  const { models: given, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map([...stored, ...given.map(({ document }) => document)].map((document) => [document.uid, document]));
  const models = await servedModels(database, [...documents.values()]);
  const build = buildRegistry(models, { ...settings, foreign: await servedCollections.findForeign(models, database) });
  const refused = [
    ...unreadable.map(({ file, reason }) => ['refused', shownFile(file), reason]),
    ...[...build.problems].flatMap(([uid, problems]) => problems.map((problem) => ['refused', uid, problem])),
    ...shardRows(build, 'problems').map(([uid, problem]) => ['not sharded', uid, problem]),
  ];
  const warnings = [...build.warnings].flatMap(([uid, texts]) => texts.map((text) => ['warning', uid, warningText(text)]));
  const notes = [...warnings, ...shardRows(build, 'notes').map(([uid, note]) => ['shard', uid, note])];
  const before = buildRegistry(await servedModels(database, stored), settings);
  const data = given.length === 0 ? [] : await unfitIn({ before, after: build }, database);
  if (values.json)
    print(
      JSON.stringify({ models: models.length, rows: [...refused, ...notes].map(asObject), data: data.map(shownData) }, null, 2),
    );
  else printTable([...refused, ...notes, ...data.map(dataRow)]);
  const isRight = refused.length + data.length === 0;
  if (isRight && !values.json) print(`${String(models.length)} models are valid`);
  return isRight ? 0 : 1;
}

const asObject = ([state, of, text]: readonly string[]) => ({ state, of, text });

const shardRows = ({ registry }: RegistryBuild, part: 'problems' | 'notes'): [uid: string, line: string][] =>
  [...registry.types.values()].flatMap((type) =>
    reportShard(type, registry)[part].map((line): [string, string] => [type.uid, line]),
  );
