import { isAbsolute, resolve } from 'node:path';
import { Cron } from 'croner';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import type { Closing } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import { createStorageOf } from '#media/storage/storage-of.js';
import { makePrivateFolder } from '#base/private-folder.js';
import { type BackupFolder, folderOf } from './place.js';
import { writeBackup } from './write-backup.js';
import { messageOf } from '#base/errors.js';

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };

/** Starts the job that makes backups. Throws a ConfigError if its rule is not valid. */
export function startBackups({ config, backend }: RunningService): Closing {
  const { jobs, store } = backend;
  const cron = rule(config.backup.schedule ?? '');
  const stop = jobs.start({
    name: 'backup',
    lease: true,
    at: (after) => cron.nextRun(after),
    failure: `the backup to ${config.backup.to} has failed; all former backups are kept`,
    run: async (signal, time) => {
      const folder = await openFolder(config);
      const { database } = store;
      const settings = config.plugins.upload.config;
      const storageOf = createStorageOf({ settings, directory: config.directory, database });
      const name = `${database.db.databaseName}-${time.toISOString().replaceAll(':', '-').replace(/\.\d+/, '')}${ending}`;
      const { lost } = await writeBackup(folder.place(name), { database, storageOf, progress: silent, signal });
      if (lost.size > 0) throw new Error(withoutFiles([...lost.values()].join(', ')));
      await removeOld(folder, database.db.databaseName, config.backup.keep);
    },
  });
  return stop;
}

const withoutFiles = (keys: string): string =>
  `${keys.slice(0, 300)}: missing in their storage, so that the backup is written without them`;

const ending = '.backup.gz';

function rule(text: string): Cron {
  try {
    return new Cron(text, { paused: true, mode: '5-or-6-parts', timezone: 'UTC' });
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError(`backup.schedule is no cron rule, such as "0 3 * * *": ${reason}`, { cause: error });
  }
}

const isPath = (to: string): boolean => !to.startsWith('s3://');

const pathOf = ({ backup: { to }, directory }: Config): string => (isPath(to) && !isAbsolute(to) ? resolve(directory, to) : to);

/** Returns the folder of backups, which is created if it is on a disk. */
async function openFolder(config: Config): Promise<BackupFolder> {
  const path = pathOf(config);
  if (isPath(path)) await makePrivateFolder(path);
  return folderOf(path, config.plugins.upload.config);
}

/**
 * Returns when the newest scheduled backup of a database was made, null if there is none, and whether two others should
 * have been made since. Rejects with a ConfigError if the rule is not valid, with another Error if the folder cannot be read.
 */
export async function newestBackup(
  config: Config,
  name: string,
  now: Date,
): Promise<{ readonly at: Date | null; readonly isOverdue: boolean }> {
  const cron = rule(config.backup.schedule ?? '');
  const folder = folderOf(pathOf(config), config.plugins.upload.config);
  const names = await folder.list().catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const text = wholeOf(names, name)
    .at(-1)
    ?.slice(name.length + 1, -ending.length);
  if (text === undefined) return { at: null, isOverdue: false };
  const at = new Date(text.replace(/(?<=T..)-(..)-/, ':$1:'));
  const [, second] = cron.nextRuns(2, at);
  return { at, isOverdue: second !== undefined && second < now };
}

/** Returns the names of the scheduled backups of a database, the newest last. */
const wholeOf = (names: readonly string[], database: string): readonly string[] =>
  names.filter((name) => isOwn(name, database) && name.endsWith(ending)).sort();

const isOwn = (name: string, database: string): boolean =>
  name.startsWith(`${database}-`) && /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup\.gz/.test(name.slice(database.length + 1));

/** Deletes all but the newest backups of a database, and what killed processes have left. */
async function removeOld(folder: BackupFolder, database: string, keep: number): Promise<void> {
  const whole = wholeOf(await folder.list(), database);
  for (const name of whole.slice(0, Math.max(whole.length - keep, 0))) await folder.remove(name);
  await folder.removeRemains((name) => isOwn(name, database));
}
