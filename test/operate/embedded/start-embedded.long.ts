import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import { createConfig } from '#settings/create-config.js';
import { type EmbeddedDatabase, runningServer, startConfigured, startEmbedded } from '#operate/embedded/start-embedded.js';
import { sourceUrl } from '../../support/program.js';

describe('start-embedded', () => {
  let folder: string;
  let dataDir: string;
  const running: EmbeddedDatabase[] = [];
  const lines: string[] = [];
  const lost: string[] = [];

  const start = async (port?: number): Promise<EmbeddedDatabase> => {
    const database = await startEmbedded({
      dataDir,
      port,
      log: (line) => lines.push(line),
      onLost: (error) => lost.push(error.message),
    });
    running.push(database);
    return database;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-embedded-'));
    dataDir = join(folder, 'db');
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((database) => database.stop()));
    lines.length = lost.length = 0;
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('starts a primary with transactions and change streams, on 127.0.0.1 only', async () => {
    const database = await start();
    expect((await stat(dataDir)).mode & 0o777).to.equal(0o700);
    await withClient(database.uri, async (client) => {
      const kept = client.db('test').collection('kept');
      const changes = kept.watch();
      // Opens the change stream, which the driver would otherwise do with the first wait.
      expect(await changes.tryNext()).to.equal(null);
      await client.withSession((session) => session.withTransaction(() => kept.insertOne({ a: 1 }, { session })));
      expect((await changes.next()).operationType).to.equal('insert');
      await changes.close();
      const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
      const { net, security, storage } = parsed as Document;
      expect(net).to.include({ bindIp: '127.0.0.1', port: database.port });
      expect((net as Document)['compression']).to.deep.equal({ compressors: 'snappy,zstd' });
      expect(security).to.include({ javascriptEnabled: false });
      expect(storage).to.deep.include({ dbPath: dataDir, engine: 'wiredTiger' });
    });
    expect(lines).to.deep.equal([]);
  });

  it('serves the same data again on the same port', async () => {
    const { port } = JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as { port: number };
    const database = await start();
    expect(database.port).to.equal(port);
    expect(await countKept(database.uri)).to.equal(1);
  });

  it('serves the same data on another port, and on yet another if that is busy', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const moved = await start(port);
    expect(moved.port).to.not.equal(port);
    expect(lines).to.deep.equal([`Port ${String(port)} is busy: MongoDB listens on ${String(moved.port)} instead`]);
    expect(await countKept(moved.uri)).to.equal(1);
    await moved.stop();
    busy.close();
    await once(busy, 'close');
    const asked = await start(port);
    expect(asked.port).to.equal(port);
    expect(await countKept(asked.uri)).to.equal(1);
  });

  it('keeps what was acknowledged when its process is killed with kill -9', async () => {
    const owner = await startInChild(dataDir);
    await withClient(owner.uri, (client) =>
      client
        .db('test')
        .collection('kept')
        .insertOne({ a: 2 }, { writeConcern: { w: 'majority' } }),
    );
    await owner.kill();
    const again = await start();
    expect(await countKept(again.uri)).to.equal(2);
  });

  it('waits for the server of an owner that is gone', async () => {
    const owner = await startInChild(dataDir);
    process.kill(owner.serverPid, 'SIGSTOP');
    await owner.kill();
    const began = performance.now();
    // The server holds the lock for as long as this takes; then it gets the signal to end.
    setTimeout(() => process.kill(owner.serverPid, 'SIGCONT'), 700);
    const again = await start();
    expect(performance.now() - began).to.be.above(700);
    expect(await countKept(again.uri)).to.equal(2);
  });

  it('names the process and the address of an owner that is alive', async () => {
    const owner = await startInChild(dataDir);
    const error = await rejection(start());
    expect(error).to.equal(
      `The data in ${dataDir} are in use by process ${String(owner.pid)}, whose MongoDB answers at ${owner.uri}. ` +
        'Stop that process, or set MONGODB_URI to that address to share them.',
    );
    expect(await countKept(owner.uri)).to.equal(2);
    await owner.kill();
  });

  it('refuses data that a newer server wrote', async () => {
    const newer = join(folder, 'newer');
    await mkdir(newer);
    await writeFile(join(newer, 'instance.json'), JSON.stringify({ version: '99.1.0', port: 1, serverPid: 1, ownerPid: 1 }));
    const error = await rejection(startEmbedded({ dataDir: newer, ...silent }));
    expect(error).to.match(/were written by MongoDB 99\.1\.0; .*mongod is \d+\.\d+\.\d+, which must not open them/);
  });

  it('says in one line why the server does not start', async () => {
    const broken = join(folder, 'broken');
    await mkdir(broken);
    await writeFile(join(broken, 'WiredTiger.turtle'), 'no turtle');
    await writeFile(join(broken, 'WiredTiger'), 'no version');
    const error = await rejection(startEmbedded({ dataDir: broken, ...silent }));
    expect(error).to.match(/^MongoDB \(.*mongod\) does not start on .*broken: \S.*$/);
  });

  it('restarts a server that ends by itself at the same address, unless it ends too often', async () => {
    const database = await start();
    await countKept(database.uri);
    const kill = async (): Promise<void> => {
      const pid = database.serverPid;
      process.kill(pid, 'SIGKILL');
      while (database.serverPid === pid && lost.length === 0) await delay(20);
    };
    await kill();
    expect(await countKept(database.uri)).to.equal(2);
    expect(lines).to.deep.equal(['MongoDB has ended: it ended with SIGKILL. It is started again.', 'MongoDB runs again']);
    await kill();
    expect(lost).to.deep.equal([]);
    await kill();
    expect(lost).to.deep.equal(['MongoDB has ended 3 times within a minute: it ended with SIGKILL']);
  });

  it('says what to do if the data cannot be stored', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const error = await rejection(startEmbedded({ dataDir: join(file, 'db'), ...silent }));
    expect(error).to.match(
      /cannot keep its data in .*a-file\/db \(ENOTDIR\): start in a folder that can be written.* MONGODB_URI/,
    );
  });

  it('follows the configuration, and its address is found while it runs', async () => {
    const embedded = { directory: join(folder, 'configured'), cacheSizeGB: 0.3 };
    const config = createConfig({ directory: '/nonexistent', environment: 'development', database: { embedded } });
    expect(await runningServer(config)).to.equal(null);
    const database = await startConfigured(config, silent);
    running.push(database);
    expect(await runningServer(config)).to.equal(database.uri);
    await withClient(database.uri, async (client) => {
      const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
      expect((parsed as Document)['storage']).to.deep.include({ dbPath: embedded.directory });
      expect((parsed as Document)['storage']).to.have.nested.property('wiredTiger.engineConfig.cacheSizeGB', 0.3);
    });
    await database.stop();
    expect(await runningServer(config)).to.equal(null);
    // its id belongs to another process now
    const instance = { version: database.version, port: database.port, serverPid: process.pid, ownerPid: process.pid };
    await writeFile(join(embedded.directory, 'instance.json'), JSON.stringify(instance));
    expect(await runningServer(config)).to.equal(null);
  });

  it('refuses production, unless the configuration allows it', async () => {
    const config = createConfig({ directory: folder, environment: 'production' });
    expect(await rejection(startConfigured(config, silent))).to.match(/MONGODB_URI.*EMBEDDED_MONGODB=allow/);
    const embedded = { directory: 'allowed', production: 'allow' } as const;
    const allowed = createConfig({ directory: folder, environment: 'production', database: { embedded } });
    running.push(await startConfigured(allowed, silent));
  });
});

const silent = { log: () => undefined, onLost: () => undefined };

interface Owner {
  readonly pid: number | undefined;
  readonly uri: string;
  readonly serverPid: number;
  readonly kill: () => Promise<void>;
}

/** Starts the server in a process of its own, whose locale is not installed. */
const startInChild = async (dataDir: string): Promise<Owner> => {
  const module = await sourceUrl('operate/embedded/start-embedded.ts');
  const code = `const { startEmbedded } = await import(${JSON.stringify(module)});
    const { uri, serverPid } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: console.error, onLost: console.error });
    console.log(JSON.stringify({ uri, serverPid }));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LC_ALL: 'xx_YY.UTF-8' },
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { uri, serverPid } = JSON.parse(line) as { uri: string; serverPid: number };
  return { pid: child.pid, uri, serverPid, kill: () => killHard(child) };
};

const killHard = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const withClient = async <T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const countKept = (uri: string): Promise<number> =>
  withClient(uri, (client) => client.db('test').collection('kept').countDocuments());

const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (error as Error).message,
  );
