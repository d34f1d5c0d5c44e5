import { findUnfit, type UnfitData } from '../mongo/models/find-unfit.js';
import { findForeign } from '../mongo/models/served-collections.js';
import { reportShard } from '../mongo/models/shard-types.js';
import type { Database } from '../mongo/send/database.js';
import { asServed } from '../mongo/stores/rename-store.js';
import { readModels } from '../mongo/stores/model-store.js';
import { buildRegistry, changedTypes, type RegistryBuild } from '../schema/build-registry.js';
import { warningText } from '../schema/report-models.js';
import { readModelFiles, shownFile } from './model-files.js';
import type { OpenedDatabase } from './open-service.js';
import { print, printTable } from './print.js';
import { flag, parseWords } from './usage-error.js';

/** Number of ids that are printed of the entries that break a rule. */
const shownIds = 5;

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
  const models = await asServed(database, [...documents.values()]);
  const build = buildRegistry(models, { ...settings, foreign: await findForeign(models, database) });
  const refused = [
    ...unreadable.map(({ file, reason }) => ['refused', shownFile(file), reason]),
    ...[...build.problems].flatMap(([uid, problems]) => problems.map((problem) => ['refused', uid, problem])),
    ...shardRows(build, 'problems').map(([uid, problem]) => ['not sharded', uid, problem]),
  ];
  const warnings = [...build.warnings].flatMap(([uid, texts]) => texts.map((text) => ['warning', uid, warningText(text)]));
  const notes = [...warnings, ...shardRows(build, 'notes').map(([uid, note]) => ['shard', uid, note])];
  const before = buildRegistry(await asServed(database, stored), settings);
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

interface Builds {
  readonly before: RegistryBuild;
  readonly after: RegistryBuild;
}

/** Returns the stored values that break rules which the models do not have yet. */
async function unfitIn({ before, after }: Builds, database: Database): Promise<readonly UnfitData[]> {
  const found: UnfitData[] = [];
  for (const type of changedTypes(after.registry, before.registry))
    found.push(...(await findUnfit(type, { before: before.registry, after: after.registry }, database)));
  return found;
}

const asObject = ([state, of, text]: readonly string[]) => ({ state, of, text });

const shownData = ({ uid, attribute, rule, count, examples }: UnfitData) => ({
  uid,
  attribute,
  rule,
  count,
  ids: examples.slice(0, shownIds),
});

function dataRow(unfit: UnfitData): readonly string[] {
  const { uid, attribute, rule, count, ids } = shownData(unfit);
  const entries = count === 1 ? '1 entry breaks' : `${String(count)} entries break`;
  return ['data', uid, `${attribute}: ${entries} the rule ${rule}: ${ids.join(', ')}${count > ids.length ? ', …' : ''}`];
}

const shardRows = ({ registry }: RegistryBuild, part: 'problems' | 'notes'): [uid: string, line: string][] =>
  [...registry.types.values()].flatMap((type) =>
    reportShard(type, registry)[part].map((line): [string, string] => [type.uid, line]),
  );
