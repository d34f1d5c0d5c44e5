import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { checkBank, openBank, startWriters } from '../../../test/operate/backup/bank.js';
import { createInstance } from '../faults/instance.js';
import { startReplicaSet } from '../faults/replica-set.js';
import { measured } from './measured.js';

/**
 * Kills a service, and the primary, in the middle of backups and restores, while a bank works. What has exit code 0 must be right, and
 * what fails must leave no file and change nothing, so that the next attempt is right. Returns what went wrong.
 */
export async function testKilled(entries: number): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-killed-'));
  const set = await startReplicaSet();
  const client = await MongoClient.connect(set.uri);
  const instance = await createInstance(set.uri, {});
  const problems: string[] = [];
  const targetOf = (name: string): string => set.uri.replace('/faults', `/${name}`);
  /** Resolves in the middle of a backup, or of a restore to a database. */
  const middle = async (name?: string): Promise<void> => {
    const isBegun = async (): Promise<boolean> =>
      name === undefined
        ? (await readdir(folder)).some((one) => one.endsWith('.part'))
        : (
            await client
              .db(name)
              .listCollections({ name: /^_import_/ })
              .toArray()
          ).length > 0;
    while (!(await isBegun())) await delay(5);
    await delay(300);
  };
  const killPrimary = async (name?: string): Promise<void> => {
    await middle(name);
    const primary = await set.primary();
    await primary.kill();
    await delay(1_500);
    await primary.start();
  };
  const check = async (
    title: string,
    name: string,
    args: readonly string[],
    meanwhile?: () => Promise<void>,
  ): Promise<number | null> => {
    const writers = startWriters(client, 'faults');
    const { code, seconds, output } = await measured(
      args,
      { folder, uri: args[0] === 'backup' ? set.uri : targetOf(name) },
      meanwhile,
    );
    await writers.stop();
    console.log(
      `${title}: exit code ${String(code)} after ${seconds.toFixed(1)} s${code === 0 ? '' : `: ${output.trim().split('\n').at(-1) ?? ''}`}`,
    );
    const isThere = existsSync(join(folder, args[1] ?? ''));
    if (args[0] === 'backup' && isThere !== (code === 0))
      problems.push(`${title}: the file ${isThere ? 'exists' : 'is missing'}`);
    if (args[0] !== 'restore') return code;
    if (code === 0) problems.push(...(await checkBank(client.db(name))).map((text) => `${title}: ${text}`));
    else if (meanwhile === undefined) problems.push(`${title}: ${output}`);
    return code;
  };
  try {
    await openBank(client.db());
    for (let start = 0; start < entries; start += 1_000)
      await client
        .db()
        .collection('bulk')
        .insertMany(Array.from({ length: 1_000 }, (_, n) => ({ n: start + n, text: 'x'.repeat(2_000) })));
    await instance.start();
    const killService = async (): Promise<void> => {
      await middle();
      instance.signal('SIGKILL');
    };
    await check('backup while the service is killed', '', ['backup', 'a.gz'], killService);
    await check('restore of it', 'a', ['restore', 'a.gz']);
    await check('backup while the primary is killed', '', ['backup', 'b.gz'], () => killPrimary());
    await set.whole();
    await check('backup', '', ['backup', 'c.gz']);
    if (existsSync(join(folder, 'b.gz')))
      await check('restore of the one while the primary was killed', 'b', ['restore', 'b.gz']);
    const code = await check('restore while the primary is killed', 'c', ['restore', 'c.gz'], () => killPrimary('c'));
    await set.whole();
    await check('restore again', 'c', ['restore', 'c.gz', ...(code === 0 ? ['--conflict', 'replace'] : [])]);
    if ((await client.db('c').collection('bulk').countDocuments()) !== entries) problems.push('entries are missing');
  } finally {
    await instance.stop();
    await client.close();
    await set.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return problems;
}
