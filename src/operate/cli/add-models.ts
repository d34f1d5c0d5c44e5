import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Alarm } from '#base/limits/timers.js';
import { modelPreviews } from '#store/models/preview-models.js';
import { openRenames, readModels, servedModels, writeModels } from '#store/stores/model-store.js';
import { servedCollections } from '#store/models/served-collections.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { type Model, isStoredAs } from '#model/schema/model.js';
import { movedAway } from '#model/schema/renames.js';
import { warningText } from '#model/schema/report-models.js';
import { isSyncFolder } from './import-sync.js';
import type { ModelDocument } from '#strapi/load/model-files.js';
import { readModelFiles, shownFile } from './model-files.js';
import type { OpenedDatabase } from './open-service.js';
import { recordCommand } from './record-command.js';
import { flag, parseWords, requiredArgument } from './usage-error.js';
import { print, printError, printTable } from './print.js';
import { dataRow, unfitIn } from './unfit-rows.js';
import { storeUntilServed } from './until-served.js';
import type { UnfitData } from '#store/models/find-unfit.js';
import type { Database } from '#store/send/database.js';

/** Stores the models of files and folders, once or whenever they change. Returns the exit code. */
export async function addModels(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const { values, positionals: paths } = parseWords(args, { 'dry-run': flag, watch: flag, force: flag });
  requiredArgument(paths[0], 'a file or folder');
  const given = { isDry: values['dry-run'], isForced: values.force };
  const exitCode = await addOnce(opened, paths, { ...given, quiet: false });
  for (const folder of paths.map((path) => join(path, 'config/sync')).filter(isSyncFolder))
    print(`${folder} has roles and locales of config-sync: npx mangrove import ${folder}`);
  return values.watch ? keepAdding(opened, paths, { ...given, quiet: true }) : exitCode;
}

interface AddOptions {
  readonly isDry: boolean;
  /** Whether models may remove attributes of stored ones without a question. */
  readonly isForced: boolean;
  /** Whether unchanged models are omitted from the output. */
  readonly quiet: boolean;
  /** Returns a document as code of the project has changed it. */
  readonly changed?: (document: ModelDocument) => ModelDocument;
}

/** Stores the valid models, even if others are invalid, and prints the result of each. Returns the exit code. */
export async function addOnce(
  { database, settings }: Pick<OpenedDatabase, 'database' | 'settings'>,
  paths: readonly string[],
  { isDry, isForced, quiet, changed: changedByCode = (document) => document }: AddOptions,
): Promise<number> {
  const { models: given, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map(given.map(({ document }) => [document.uid, changedByCode(document)]));
  const others = stored.filter(({ uid }) => !documents.has(uid));
  const models = await servedModels(database, [...others, ...documents.values()]);
  const build = buildRegistry(models, { ...settings, foreign: await servedCollections.findForeign(models, database) });
  const moving = movedAway([...documents.values()], await openRenames(database));
  const drafts = await modelPreviews.draftsLeft(stored, build, database);
  const refusals = new Map([...build.problems, ...moving, ...drafts]);
  const right = [...documents.values()].filter(({ uid }) => !refusals.has(uid));
  const different = right.filter((document) => !isStoredAs(document, stored));
  const losses = await refuseLosses(different, stored, { isDry, isForced });
  const problems = new Map([...refusals, ...losses]);
  const changed = different.filter(({ uid }) => !losses.has(uid));
  const data = quiet || changed.length === 0 ? [] : await newlyUnfit({ stored, changed }, { database, settings });
  const late = isDry || changed.length === 0 ? [] : await store(changed, database);
  const rows = [
    ...unreadable.map(({ file, reason }) => ['refused', shownFile(file), reason]),
    ...[...documents.values()].map((document) => rowOf(document, stored, problems)),
  ];
  const refused = rows.filter(([state]) => state === 'refused');
  const shown = [...rows.filter(([state]) => state !== 'refused' && !(quiet && state === 'unchanged')), ...refused];
  const warnings = changed.flatMap(({ uid }) =>
    (build.warnings.get(uid) ?? []).map((warning) => ['warning', uid, warningText(warning)]),
  );
  if (!quiet || changed.length + refused.length > 0) printTable([...shown, ...warnings, ...data.map(dataRow)]);
  if (late.length > 0 && !quiet) print(`not served yet by ${late.join(', ')}`);
  if (!quiet) print(summary([...rows, ...warnings], isDry));
  return refused.length > 0 ? 1 : 0;
}

/** Stores models. Returns the instances that have not taken them over after a second. */
function store(changed: readonly ModelDocument[], database: Database): Promise<readonly string[]> {
  const uids = changed.map(({ uid }) => uid);
  const write = () => writeModels(database, changed as unknown as Model[]); // their form was checked
  return recordCommand(database, ['models add', uids], () => storeUntilServed(database, uids, write));
}

interface Change {
  readonly stored: readonly ModelDocument[];
  readonly changed: readonly ModelDocument[];
}

/** Returns the stored values that break the rules of changed models, and did not before. */
async function newlyUnfit(
  { stored, changed }: Change,
  { database, settings }: Pick<OpenedDatabase, 'database' | 'settings'>,
): Promise<readonly UnfitData[]> {
  const uids = new Set(changed.map(({ uid }) => uid));
  const models = [...stored.filter(({ uid }) => !uids.has(uid)), ...changed];
  const [before, after] = [await servedModels(database, stored), await servedModels(database, models)];
  return unfitIn({ before: buildRegistry(before, settings), after: buildRegistry(after, settings) }, database);
}

function rowOf(
  document: ModelDocument,
  stored: readonly ModelDocument[],
  problems: ReadonlyMap<string, readonly string[]>,
): string[] {
  const { uid } = document;
  if (problems.has(uid)) return ['refused', uid, problems.get(uid)?.join('; ') ?? ''];
  const before = stored.find((one) => one.uid === uid);
  if (before === undefined) return ['added', uid, ''];
  return isStoredAs(document, stored) ? ['unchanged', uid, ''] : ['changed', uid, describeChange(before, document)];
}

function summary(rows: readonly (readonly string[])[], isDry: boolean): string {
  const counts = ['added', 'changed', 'unchanged', 'warning', 'refused'].flatMap((state) => {
    const count = rows.filter(([of]) => of === state).length;
    return count === 0 ? [] : [`${String(count)} ${state}`];
  });
  return `${counts.join(', ') || 'no models found'}${isDry ? ' (nothing was stored)' : ''}`;
}

/** Describes the difference of two models as `+title -name ~author`: added, removed and changed attributes. */
export function describeChange(before: ModelDocument, after: ModelDocument): string {
  const { added, removed, changed } = modelPreviews.between(after.uid, before as unknown as Model, after as unknown as Model); // only their attributes are read
  const names = [...added.map((name) => `+${name}`), ...removed.map((name) => `-${name}`), ...changed.map((name) => `~${name}`)];
  return names.length > 0 ? names.join(' ') : 'options or order';
}

/**
 * Returns the models that may not be stored because they remove attributes of stored models, with the reason. On a terminal it
 * asks for each of them first.
 */
async function refuseLosses(
  documents: readonly ModelDocument[],
  stored: readonly ModelDocument[],
  { isDry, isForced }: Omit<AddOptions, 'quiet'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const refused = new Map<string, readonly string[]>();
  if (isForced) return refused;
  const mayAsk = !isDry && process.stdin.isTTY;
  for (const document of documents) {
    const before = stored.find(({ uid }) => uid === document.uid);
    const { removed } = modelPreviews.between(document.uid, before as Model | undefined, document as unknown as Model); // only their attributes are read
    const names = removed.join(', ');
    if (names === '' || (mayAsk && (await isAgreed(`${document.uid}: remove ${names}? (y/N) `)))) continue;
    refused.set(document.uid, [`it would remove ${names}; use --force to store it`]);
  }
  return refused;
}

/** Resolves to whether the answer to a question on the terminal is yes. */
function isAgreed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve(false);
    });
    lines.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}

/**
 * Stores changed models until SIGINT or SIGTERM. Reads the existing files again too, because one may have changed before it was
 * watched.
 */
async function keepAdding(opened: OpenedDatabase, paths: readonly string[], options: AddOptions): Promise<number> {
  const stopped = new Promise<void>((done) => process.once('SIGINT', done).once('SIGTERM', done));
  let work: Promise<unknown> = Promise.resolve();
  const adding = new Alarm(() => (work = work.then(() => addOnce(opened, paths, options)).catch(report)));
  const { watch } = await import('chokidar');
  const watcher = watch([...paths], { ignored: isNoSource })
    .on('all', () => adding.set(settleTime))
    .on('error', report);
  print('watching for changes');
  await stopped;
  await watcher.close();
  adding.cancel();
  await work;
  return 0;
}

/** Returns whether a path is a folder of packages or tools, which contains no models. */
const isNoSource = (path: string): boolean => /^(\.[^./].*|node_modules)$/.test(basename(path));

const report = (error: unknown): void => {
  printError(error instanceof Error ? error.message : error);
};

/** Milliseconds between a change and reading the files, because editors write in several steps. */
const settleTime = 100;
