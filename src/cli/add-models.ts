import { basename } from 'node:path';
import type { Database } from '../mongo/database.js';
import { readModels, writeModels } from '../mongo/stores/model-store.js';
import { findForeign } from '../mongo/models/served-collections.js';
import { modelSettings } from '../mongo/models/open-backend.js';
import { buildRegistry } from '../schema/build-registry.js';
import { isStoredAs } from '../schema/is-stored-as.js';
import type { Model } from '../schema/model.js';
import { warningText } from '../schema/report-models.js';
import { describeChange } from './compare-models.js';
import type { ModelDocument } from '../strapi/model-files.js';
import { readModelFiles, shownFile } from './model-files.js';
import type { OpenedDatabase } from './open-database.js';
import { refuseLosses } from './confirm-losses.js';
import { recordCommand } from './run-command.js';
import { parseWords, required } from './usage-error.js';
import { print, printError, printTable } from './print.js';

/** Stores the models of files and folders, once or whenever they change. Returns the exit code. */
export async function addModels(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { 'dry-run': flag, watch: flag, force: flag } as const;
  const { values, positionals: paths } = parseWords({ args: [...args], options, allowPositionals: true });
  required(paths[0], 'a file or folder');
  const given = { isDry: values['dry-run'], isForced: values.force };
  const exitCode = await addOnce(opened, paths, { ...given, quiet: false });
  return values.watch ? keepAdding(opened, paths, { ...given, quiet: true }) : exitCode;
}

interface AddOptions {
  readonly isDry: boolean;
  /** Whether models may remove attributes of stored ones without a question. */
  readonly isForced: boolean;
  /** Whether unchanged models are omitted from the output. */
  readonly quiet: boolean;
}

/** Stores the valid models, even if others are invalid, and prints the result of each. Returns the exit code. */
export async function addOnce(
  { database, config }: Pick<OpenedDatabase, 'database' | 'config'>,
  paths: readonly string[],
  { isDry, isForced, quiet }: AddOptions,
): Promise<number> {
  const { models: given, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map(given.map(({ document }) => [document.uid, document]));
  const others = stored.filter(({ uid }) => !documents.has(uid));
  const models = [...others, ...documents.values()];
  const build = buildRegistry(models, { ...modelSettings(config), foreign: await findForeign(models, database) });
  const right = [...documents.values()].filter(({ uid }) => !build.problems.has(uid));
  const different = right.filter((document) => !isStoredAs(document, stored));
  const losses = await refuseLosses(different, stored, { isDry, isForced });
  const problems = new Map([...build.problems, ...losses]);
  const changed = different.filter(({ uid }) => !losses.has(uid));
  if (!isDry && changed.length > 0) await storeModels(database, changed);
  const rows = [...documents.values()].map((document) => rowOf(document, stored, problems));
  const refused = [
    ...unreadable.map(({ file, reason }) => ['refused', shownFile(file), reason]),
    ...rows.filter(([state]) => state === 'refused'),
  ];
  const shown = [...rows.filter(([state]) => state !== 'refused' && !(quiet && state === 'unchanged')), ...refused];
  const warnings = changed.flatMap(({ uid }) =>
    (build.warnings.get(uid) ?? []).map((warning) => ['warning', uid, warningText(warning)]),
  );
  if (!quiet || changed.length + refused.length > 0) printTable([...shown, ...warnings]);
  if (!quiet) print(summary([...rows, ...refused.filter((row) => !rows.includes(row)), ...warnings], isDry));
  return refused.length > 0 ? 1 : 0;
}

/** Stores models, and records the command in the audit log. */
async function storeModels(database: Database, documents: readonly ModelDocument[]): Promise<void> {
  const uids = documents.map(({ uid }) => uid);
  await recordCommand(database, ['models add', uids], async () => {
    await writeModels(database, documents as unknown as Model[]); // their form was checked
    return true;
  });
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

/**
 * Stores changed models until SIGINT or SIGTERM. Reads the existing files again too, because one may have changed before it was
 * watched.
 */
async function keepAdding(opened: OpenedDatabase, paths: readonly string[], options: AddOptions): Promise<number> {
  const stopped = new Promise<void>((done) => process.once('SIGINT', done).once('SIGTERM', done));
  let work: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      work = work.then(() => addOnce(opened, paths, options)).catch(report);
    }, settleTime);
  };
  const { watch } = await import('chokidar');
  const watcher = watch([...paths], { ignored: isNoSource })
    .on('all', changed)
    .on('error', report);
  print('watching for changes');
  await stopped;
  await watcher.close();
  clearTimeout(timer);
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
