import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { MongoClient, type Db, type Document } from 'mongodb';
import { createService } from '../../../src/create-server.js';
import { startCluster, type Cluster } from './start-cluster.js';

/*
 * `node --import tsx scripts/prove/cluster/measure.ts [--entries N] [--requests N]`: what requests cost on a cluster of
 * two shards, with all articles on one of them and with articles that are sharded by their ids: CPU of each process and documents examined
 * by each shard, for one request.
 */
const { values } = parseArgs({
  options: { entries: { type: 'string', default: '50000' }, requests: { type: 'string', default: '200' } },
});
const entries = Number(values.entries);
const requests = Number(values.requests);

const link = (target: string, relation: string) => ({ type: 'relation', relation, target: `api::${target}.${target}` });
const model = (name: string, attributes: object, rest: object = {}) => ({
  _id: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { name: { type: 'string' }, ...attributes },
  ...rest,
});
const article = {
  body: { type: 'richtext' },
  author: link('author', 'manyToOne'),
  sections: link('section', 'manyToMany'),
  tags: link('tag', 'manyToMany'),
};
const populate = 'populate[0]=author&populate[1]=sections&populate[2]=tags';
const pick = (index: number): string => String(1 + ((index * 7919) % entries));

interface Row {
  readonly title: string;
  readonly path: (index: number) => string;
  readonly body?: (index: number) => object;
}

const newest = '/api/articles?sort=publishedAt:desc';
const rows: readonly Row[] = [
  { title: 'a  25 newest, with total', path: () => newest },
  { title: 'b  25 newest, three relations, with total', path: () => `${newest}&${populate}` },
  { title: 'd  one entry, three relations', path: (index) => `/api/articles/${pick(index)}?${populate}` },
  { title: 'h  $containsi, with total', path: (index) => `/api/articles?filters[name][$containsi]=name%20${pick(index)}` },
  {
    title: 'e  create with three relations',
    path: () => '/api/articles',
    body: (index) => ({ data: { name: `new ${String(index)}`, author: 1 + (index % 100), sections: [1, 2], tags: [3, 4] } }),
  },
];

const cluster = await startCluster(console.log);
try {
  for (const shard of ['none', '_id']) await measure(cluster, shard);
} finally {
  await cluster.stop();
}

async function measure(cluster: Cluster, shard: string): Promise<void> {
  const name = `measure_${shard}`;
  const client = await MongoClient.connect(cluster.uri);
  const db = client.db(name);
  const models = [
    model('article', article, { options: { draftAndPublish: true }, shard }),
    ...['author', 'section', 'tag'].map((one) => model(one, {})),
  ];
  await db.collection<{ _id: string }>('_models').insertMany(models);
  const service = await createService({
    config: {
      environment: 'production',
      server: { host: '127.0.0.1', port: 0 },
      database: { uri: cluster.uri, name },
      api: { open: true },
      plugins: { 'users-permissions': { config: { jwtSecret: 'x'.repeat(32) } } },
      middlewares: { logger: { level: 'error' } },
      admin: { token: 'x'.repeat(32), apiToken: { salt: 'x'.repeat(32) } },
    },
  });
  await service.start();
  await fill(db);
  console.log(`\narticles: shard ${shard}; CPU in ms and documents examined, for one request`);
  for (const row of rows) await measureRow(row, service.url, cluster);
  await service.stop();
  await db.dropDatabase();
  await client.close();
}

async function fill(db: Db): Promise<void> {
  const at = new Date();
  const times = { createdAt: at, updatedAt: at };
  for (const one of ['authors', 'sections', 'tags'])
    await db
      .collection<{ _id: number }>(one)
      .insertMany(Array.from({ length: 100 }, (_, index) => ({ _id: index + 1, name: `${one} ${String(index)}`, ...times })));
  for (let first = 0; first < entries; first += 5_000) {
    const batch = Array.from({ length: Math.min(5_000, entries - first) }, (_, index) => makeArticle(first + index + 1));
    await db.collection<{ _id: number }>('articles').insertMany(batch, { ordered: false });
  }
}

function makeArticle(_id: number): Document & { readonly _id: number } {
  const at = new Date(1_700_000_000_000 + _id * 1000);
  const some = [1 + (_id % 100), 1 + ((_id * 7) % 100)];
  const body = `text ${String(_id)} `.repeat(100);
  return {
    _id,
    name: `name ${String(_id)}`,
    body,
    author: 1 + (_id % 100),
    sections: some,
    tags: some,
    createdAt: at,
    updatedAt: at,
    publishedAt: at,
  };
}

async function measureRow({ title, path, body }: Row, url: string, cluster: Cluster): Promise<void> {
  const ask = async (index: number): Promise<void> => {
    const answer = await fetch(`${url}${path(index)}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body(index)), headers: { 'content-type': 'application/json' } }),
    });
    if (answer.status !== 200) throw new Error(`${title}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  for (let index = 0; index < 20; index += 1) await ask(entries + index);
  const before = await readCosts(cluster);
  for (let index = 0; index < requests; index += 1) await ask(index);
  const after = await readCosts(cluster);
  const each = after.map((cost, index) => (cost - (before[index] ?? 0)) / requests);
  const [node = 0, mongos = 0, cpu0 = 0, cpu1 = 0, examined0 = 0, examined1 = 0] = each;
  const cpu = [node, mongos, cpu0, cpu1].map((cost) => cost.toFixed(2).padStart(7)).join('');
  console.log(`${title.padEnd(44)} node, mongos, shards:${cpu}   examined: ${examined0.toFixed(0)} + ${examined1.toFixed(0)}`);
}

/**
 * CPU in milliseconds of this process, of mongos and of each shard, then the documents that each shard has examined, since their starts.
 */
async function readCosts({ uri, shards }: Cluster): Promise<number[]> {
  const servers = await Promise.all([uri, ...shards].map(readServer));
  const { user, system } = process.cpuUsage();
  return [(user + system) / 1000, ...servers.map(({ cpu }) => cpu), ...servers.slice(1).map(({ examined }) => examined)];
}

async function readServer(uri: string): Promise<{ readonly cpu: number; readonly examined: number }> {
  const client = await MongoClient.connect(uri);
  const { pid, metrics } = (await client.db('admin').command({ serverStatus: 1 })) as {
    readonly pid: number;
    readonly metrics: { readonly queryExecutor?: { readonly scannedObjects: number } };
  };
  await client.close();
  // Hundredths of a second, behind the name in brackets.
  const fields = (await readFile(`/proc/${String(pid)}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return { cpu: (Number(fields[11]) + Number(fields[12])) * 10, examined: Number(metrics.queryExecutor?.scannedObjects ?? 0) };
}
