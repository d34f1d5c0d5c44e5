import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { mailServer } from '#accounts/mail/mailer.js';
import { newestBackup } from '../backup/scheduled-backups.js';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import { withinTime } from '#base/limits/clock.js';
import { loadUploadProvider } from '#media/hosting/file-host.js';
import { s3Storage } from '#media/storage/s3-storage.js';
import { diskFolder, optionsOf } from '#media/storage/storage-of.js';
import type { BackupFacts, FolderFacts } from './context.js';
import { readDatabaseName } from './address-facts.js';
import { firstLineOf } from '#base/finding.js';

/** Longest time of a probe, in milliseconds. */
const patience = 6_000;

/** Returns why work fails; null if it does not. `left` says what may be left behind if there is no answer. */
const probe = async (work: () => Promise<void>, left = ''): Promise<string | null> => {
  const late = (): Error => new Error(`no answer within ${String(patience / 1e3)} s${left}`);
  return withinTime(patience, work, late).then(() => null, firstLineOf);
};

/** Asks the mail server whether it accepts the log-in. */
export const probeMail = async (config: Config): Promise<string | null> =>
  mailServer.isNamed(config) ? probe(() => mailServer.verify(config)) : null;

/** Loads the upload provider, or else stores an object of one byte in S3 and deletes it. */
export async function probeStorage(settings: Config): Promise<string | null> {
  const { enabled, config } = settings.plugins.upload;
  if (!enabled) return null;
  const { provider } = config.host;
  if (provider !== null) return probe(async () => void (await loadUploadProvider(provider, settings)));
  if (config.provider !== 's3') return null;
  const key = `mangrove-doctor-${randomUUID()}`;
  const work = async (): Promise<void> => {
    const storage = s3Storage(optionsOf(config, 's3'));
    await storage.write(key, [Buffer.from('.')], 'text/plain');
    await storage.remove(key);
  };
  return probe(work, `; the object ${key} may be left in the bucket`);
}

/** Reads when the newest scheduled backup was made. */
export async function readBackups(config: Config): Promise<BackupFacts> {
  if (config.backup.schedule === null) return null;
  const { name, uri } = config.database;
  const database = name ?? (uri === null ? '' : await readDatabaseName(uri).catch(() => ''));
  return withinTime(patience, () => newestBackup(config, database, new Date())).then(
    (found) => ({ kind: 'read', ...found }),
    (error: unknown) => ({ kind: error instanceof ConfigError ? 'refused' : 'unreadable', reason: firstLineOf(error) }),
  );
}

/** Reads the folder of files, or the nearest one above it that exists; null if files are not stored on disk. */
export async function readUploads({ plugins, directory }: Config): Promise<FolderFacts | null> {
  const { enabled, config } = plugins.upload;
  if (!enabled || config.provider !== 'disk') return null;
  let path = diskFolder(config, directory);
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  const [room, isWritable] = await Promise.all([
    withinTime(patience, () => statfs(path)).then(
      ({ bsize, blocks, bavail }) => ({ total: bsize * blocks, free: bsize * bavail }),
      (error: unknown) => ({ failure: firstLineOf(error) }),
    ),
    access(path, constants.W_OK).then(
      () => true,
      () => false,
    ),
  ]);
  return { path, isWritable, room };
}

/** Returns the files with secrets in a folder that other users of the machine can read. */
export async function readableSecrets({ directory, admin }: Config): Promise<readonly string[]> {
  const files = [join(directory, '.env'), resolve(directory, admin.secretsFile)];
  const modes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  );
  return files.filter((_, index) => ((modes[index] ?? 0) & 0o004) !== 0);
}
