import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allCollections } from '#declarations.js';
import { isBackedUp } from '#operate/raw/backed-up.js';
import { ownCollections } from '#store/send/own-collections.js';
import type { FreshDatabase } from '../../support/mongo.js';
import { type CliResult, runCli } from '../../support/run-cli.js';

/** A folder in which backups are made and restored. */
export interface BackupFolder {
  readonly path: string;
  /** Runs a command on a database. `config` are files of config/ by name. */
  readonly run: (database: FreshDatabase, name: string, ...args: readonly string[]) => Promise<CliResult>;
  readonly remove: () => Promise<void>;
}

export async function makeFolder(): Promise<BackupFolder> {
  const path = await mkdtemp(join(tmpdir(), 'mangrove-backup-'));
  return {
    path,
    run: ({ uri }, name, ...args) => runCli(name, args, { directory: path, env: { MONGODB_URI: uri } }),
    remove: () => rm(path, { recursive: true }),
  };
}

/** What a restore itself writes. */
const written: ReadonlySet<string> = new Set(['_audit']);

/** Returns the number and a digest of the bytes of all documents that a backup contains, by collection, with the names of indexes. */
export async function digestAll({ db }: Pick<FreshDatabase, 'db'>): Promise<Readonly<Record<string, string>>> {
  const names = (await db.listCollections().toArray())
    .map(({ name }) => name)
    .filter((name) => isBackedUp(name, ownCollections(allCollections)) && !written.has(name));
  const rows = await Promise.all(
    names.sort().map(async (name) => {
      const documents = (await db
        .collection(name)
        .find({}, { raw: true, sort: { _id: 1 } })
        .toArray()) as unknown as Buffer[];
      const hash = createHash('sha256');
      for (const document of documents) hash.update(document);
      const indexes = (await db.collection(name).listIndexes().toArray()).map((index) => String(index.name)).sort();
      return [name, `${String(documents.length)} ${hash.digest('hex').slice(0, 8)} ${indexes.join(' ')}`] as const;
    }),
  );
  return Object.fromEntries(rows);
}
