import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbedded } from '../../../src/operate/embedded/start-embedded.js';
import { digestAll } from '../../../test/operate/backup/backups.js';
import { checkBank, openBank, startWriters } from '../../../test/operate/backup/bank.js';
import { createInstance } from '../faults/instance.js';
import { measured } from './measured.js';

export interface Sizes {
  readonly entries: number;
  /** Of all files. */
  readonly megabytes: number;
}

/** The most resident memory that a command may take, in MB. */
const mostMemory = 200;

const model = {
  _id: 'api::item.item',
  ...{ kind: 'collectionType', collectionName: 'items' },
  info: { singularName: 'item', pluralName: 'items', displayName: 'Item' },
  attributes: { title: { type: 'string', unique: true }, body: { type: 'text' }, rank: { type: 'integer' } },
};

/** Backs up and restores many entries and files while a bank works. Returns what went wrong. */
export async function testLarge({ entries, megabytes }: Sizes): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-large-'));
  const server = await startEmbedded({ dataDir: join(folder, 'db'), log: console.log, onLost: console.error });
  const addressOf = (name: string): string => server.uri.replace(/\/(\?|$)/, `/${name}$1`);
  const client = await MongoClient.connect(server.uri);
  try {
    const source = client.db('source');
    await source.collection<{ _id: string }>('_models').insertOne(model);
    await openBank(source);
    await fillEntries(client, entries);
    for (const provider of ['gridfs', 'disk'])
      await upload(addressOf('source'), join(folder, provider), { provider, megabytes: megabytes / 2 });
    for (const name of ['from', 'to'])
      await configure(join(folder, name), name === 'from' ? join(folder, 'disk/files') : join(folder, 'to/files'));
    const problems: string[] = [];
    const writers = startWriters(client, 'source');
    const file = join(folder, 'large.backup.gz');
    const made = await measured(['backup', file], { folder: join(folder, 'from'), uri: addressOf('source') });
    const moves = await writers.stop();
    const { size } = await stat(file);
    console.log(
      `backup: ${made.seconds.toFixed(1)} s, peak ${String(made.megabytes)} MB, ${(size / 1e6).toFixed(0)} MB, ${String(moves)} transactions meanwhile`,
    );
    const restored = await measured(['restore', file], { folder: join(folder, 'to'), uri: addressOf('target') });
    console.log(`restore: ${restored.seconds.toFixed(1)} s, peak ${String(restored.megabytes)} MB`);
    for (const { code, megabytes: peak, output } of [made, restored]) {
      if (code !== 0) problems.push(`exit code ${String(code)}: ${output}`);
      if (peak > mostMemory) problems.push(`${String(peak)} MB of memory`);
    }
    problems.push(...(await checkBank(client.db('target'))));
    problems.push(
      ...(await differences(client)),
      ...(await differentFiles(join(folder, 'disk/files'), join(folder, 'to/files'))),
    );
    return problems;
  } finally {
    await client.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillEntries(client: MongoClient, entries: number): Promise<void> {
  const items = client.db('source').collection<{ _id: number }>('items');
  const now = new Date();
  for (let start = 1; start <= entries; start += 1_000)
    await items.insertMany(
      Array.from({ length: Math.min(1_000, entries - start + 1) }, (_, index) => ({
        ...{ _id: start + index, title: `Item ${String(start + index)}`, rank: index, createdAt: now, updatedAt: now },
        body: randomBytes(300).toString('hex'),
      })),
    );
}

async function configure(folder: string, files: string): Promise<void> {
  await mkdir(join(folder, 'config'), { recursive: true });
  const config = { provider: 'disk', providerOptions: { folder: files } };
  await writeFile(join(folder, 'config/plugins.json'), JSON.stringify({ upload: { config } }));
}

/** Uploads files of 100 MB of random bytes to a storage. */
async function upload(
  uri: string,
  folder: string,
  { provider, megabytes }: { provider: string; megabytes: number },
): Promise<void> {
  const config = { provider, ...(provider === 'disk' && { providerOptions: { folder: join(folder, 'files') } }) };
  const instance = await createInstance(uri, {}, { 'config/plugins.json': { upload: { config } } });
  await instance.start();
  try {
    for (let left = megabytes; left > 0; left -= 100) {
      const form = new FormData();
      form.append(
        'files',
        new Blob([randomBytes(Math.min(left, 100) * 1e6)], { type: 'application/octet-stream' }),
        'random.bin',
      );
      const answer = await fetch(`http://127.0.0.1:${String(instance.port)}/api/upload`, { method: 'POST', body: form });
      if (answer.status !== 200) throw new Error(await answer.text());
    }
  } finally {
    await instance.stop();
  }
}

/** Collections that the writers of the bank change after the backup. */
const changing = new Set(['accounts', 'moves', 'counts']);

async function differences(client: MongoClient): Promise<readonly string[]> {
  const of = (name: string) => digestAll({ db: client.db(name) });
  const [before, after] = [await of('source'), await of('target')];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !changing.has(name));
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${before[name] ?? ''} instead of ${after[name] ?? ''}`);
}

async function differentFiles(one: string, other: string): Promise<readonly string[]> {
  const [before, after] = [await digestFiles(one), await digestFiles(other)];
  console.log(`files outside of the database: ${String(before.size)}`);
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

async function digestFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const hash = createHash('sha256');
    for await (const bytes of createReadStream(join(entry.parentPath, entry.name))) hash.update(bytes as Buffer);
    found.set(entry.name, hash.digest('hex'));
  }
  return found;
}
