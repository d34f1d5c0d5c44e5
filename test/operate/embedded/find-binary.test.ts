import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import {
  describePinning,
  downloadOfficial,
  isReachable,
  operatorPin,
  type PinnedArchive,
  pinOf,
} from '#operate/embedded/official.js';
import { firstFetched, probeBinary } from '#operate/embedded/binary.js';
import { cachedPrograms, chooseDownload, chooseInstalled, findBinary, type Installed } from '#operate/embedded/find-binary.js';

const cached = { path: '/cached/mongod', version: '8.2.0' };
const onPath = (version: string): Installed['onPath'] => ({ path: '/path/mongod', version });

const choices: readonly (readonly [
  title: string,
  installed: Installed,
  dataVersion: string | undefined,
  path: string | undefined,
])[] = [
  ['the one on PATH comes first', { onPath: onPath('8.0.1'), cached }, undefined, '/path/mongod'],
  ['6.0 on PATH is new enough', { onPath: onPath('6.0.0'), cached }, undefined, '/path/mongod'],
  ['5.0 on PATH is not', { onPath: onPath('5.0.31'), cached }, undefined, cached.path],
  ['5.0 on PATH is not, even alone', { onPath: onPath('5.0.31') }, undefined, undefined],
  ['10.0 on PATH is newer than 6.0', { onPath: onPath('10.0.0'), cached }, undefined, '/path/mongod'],
  ['one on PATH older than the data is not used', { onPath: onPath('7.0.5'), cached }, '8.2.0', cached.path],
  ['one on PATH that is an older patch release is used', { onPath: onPath('8.2.0') }, '8.2.6', '/path/mongod'],
  ['then the cache', { cached }, undefined, cached.path],
  ['nothing installed', {}, undefined, undefined],
];

const downloads = [
  ['operator', 'reachable', 'linux-x64', 'official'],
  ['operator', 'away', 'linux-x64', 'official'],
  ['operator', 'reachable', 'win32-x64', 'official'],
  ['release', 'reachable', 'linux-x64', 'official'],
  ['release', 'reachable', 'darwin-arm64', 'official'],
  ['release', 'away', 'linux-x64', 'npm'],
  ['release', 'away', 'linux-arm64', 'unreachable'],
  ['release', 'away', 'darwin-arm64', 'unreachable'],
  ['nobody', 'reachable', 'linux-x64', 'npm'],
  ['nobody', 'away', 'linux-x64', 'npm'],
  ['nobody', 'reachable', 'linux-arm64', 'unpinned'],
  ['nobody', 'reachable', 'win32-x64', 'unpinned'],
  ['nobody', 'away', 'win32-x64', 'unpinned'],
] as const;

const hash = 'a'.repeat(64);

/** The archive that an operator's variable pins, or undefined if the value is refused. */
const pinned: readonly (readonly [text: string, pin: PinnedArchive | undefined])[] = [
  [`8.2.10:${hash}`, { version: '8.2.10', sha256: hash }],
  [` 8.2.10:${hash.toUpperCase()} `, { version: '8.2.10', sha256: hash }],
  [hash, undefined],
  ['8.2.10', undefined],
  [`8.2:${hash}`, undefined],
  [`../8.2.10:${hash}`, undefined],
  [`8.2.10:${hash}0`, undefined],
  [`8.2.10:${hash.slice(1)}`, undefined],
];

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

  for (const [pinnedBy, host, platform, source] of downloads) {
    it(`archive pinned by ${pinnedBy}, host ${host}, on ${platform}: ${source}`, () => {
      expect(chooseDownload({ pinnedBy, host, platform })).to.equal(source);
    });
  }

  for (const [text, pin] of pinned) {
    it(`${pin === undefined ? 'refuses' : 'reads'} EMBEDDED_MONGODB_ARCHIVE=${text}`, async () => {
      const env = { EMBEDDED_MONGODB_ARCHIVE: text };
      if (pin !== undefined) expect(operatorPin(env)).to.deep.equal(pin);
      else expect(await rejection(findBinary({ env, log }))).to.match(/^EMBEDDED_MONGODB_ARCHIVE must be a version, a colon/);
    });
  }

  it('pins nothing if the variable is empty', () => {
    expect([{}, { EMBEDDED_MONGODB_ARCHIVE: '' }].map(operatorPin)).to.deep.equal([undefined, undefined]);
  });

  it('knows archives by their exact names', () => {
    const names = ['mongodb-macos-arm64-8.2.6.tgz', 'mongodb-linux-x86_64-debian12-8.2.6.tgz', 'constructor', ''];
    expect(names.map((name) => pinOf(name)?.version)).to.deep.equal(['8.2.6', undefined, undefined, undefined]);
  });

  it('explains how to pin an archive on a system without one', () => {
    const archive = {
      name: 'mongodb-windows-x86_64-8.2.6.zip',
      address: 'https://host.example/mongodb-windows-x86_64-8.2.6.zip',
    };
    expect(describePinning(archive)).to.equal(
      'To have it downloaded, set EMBEDDED_MONGODB_ARCHIVE to 8.2.6:SHA256, with the SHA-256 of mongodb-windows-x86_64-8.2.6.zip, ' +
        'which https://host.example/mongodb-windows-x86_64-8.2.6.zip.sha256 states.',
    );
  });

  it('uses only checked programs from the cache, and only the archive of the operator if there is one', () => {
    const folders = (pin?: PinnedArchive): string[] => cachedPrograms('/cache', pin).map(({ path }) => path.split('/')[2] ?? '');
    expect(folders({ version: '8.2.10', sha256: hash })).to.deep.equal(['official-8.2.10-aaaaaaaaaaaaaaaa']);
    expect(folders().slice(-1)).to.deep.equal(['npm-8.2.0']);
    expect(folders()).to.have.lengthOf(5);
  });

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

  it('counts the official host as reachable after any answer', async () => {
    expect(await isReachable(urlOf(web), {})).to.equal(true);
  });

  it('gives up on a host that does not answer', async () => {
    expect(await isReachable(urlOf(silent), {})).to.equal(false);
  });

  it('skips the check of the host if there is a proxy', async () => {
    expect(await isReachable(urlOf(silent), { https_proxy: 'http://proxy.example:3128' })).to.equal(true);
  });
});

describe('download-official', () => {
  let folder: string;
  let mirror: Server;
  let pin: PinnedArchive;
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const variables = ['MONGOMS_DOWNLOAD_MIRROR', 'MONGOMS_USE_HTTP', 'MONGOMS_DOWNLOAD_DIR'] as const;
  const before_ = variables.map((name) => process.env[name]);

  before(async function () {
    if (process.platform === 'win32') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'download-official-'));
    await writeProgram(folder, 'bin-mongod', 'echo "db version v8.2.7"; touch "${0%/*}/../was-run"');
    const archive = join(folder, 'archive.tgz');
    const onWriteEntry = (entry: { path: string }): void => {
      entry.path = 'mongodb/bin/mongod';
    };
    await create({ gzip: true, file: archive, cwd: folder, onWriteEntry }, ['bin-mongod']);
    mirror = await serveFile(archive);
    const content = await readFile(archive);
    pin = { version: '8.2.7', sha256: createHash('sha256').update(content).digest('hex') };
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = urlOf(mirror);
    process.env['MONGOMS_USE_HTTP'] = 'true';
    // The cache that others share: nothing is unpacked there, nor taken from it.
    process.env['MONGOMS_DOWNLOAD_DIR'] = join(folder, 'shared');
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
    const error = await rejection(downloadOfficial(join(folder, 'none'), pin));
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = urlOf(mirror);
    refusing.close();
    refusing.closeAllConnections();
    expect(error).to.match(/^MongoDB 8.2.7 could not be downloaded: .*Status Code is 403.* Install MongoDB 6 or newer.*$/);
  });

  it('downloads the archive of the operator, and finds it the next time', async () => {
    const env = {
      PATH: '/nowhere',
      MONGOMS_DOWNLOAD_DIR: join(folder, 'cache'),
      MONGOMS_DOWNLOAD_MIRROR: urlOf(mirror),
      EMBEDDED_MONGODB_ARCHIVE: `${pin.version}:${pin.sha256}`,
    };
    const path = join(folder, 'cache', `official-8.2.7-${pin.sha256.slice(0, 16)}`, 'mongod');
    expect(await findBinary({ env, log })).to.deep.equal({ path, version: '8.2.7' });
    expect(lines.splice(0)).to.deep.equal([
      `No suitable MongoDB is on PATH. MongoDB 8.2.7 is downloaded once to ${join(folder, 'cache')}: about 100 MB, from ${urlOf(mirror)}`,
    ]);
    expect(await readdir(join(path, '..'))).to.deep.equal(['mongod']);
    expect(await findBinary({ env, log })).to.deep.equal({ path, version: '8.2.7' });
    expect(lines).to.deep.equal([]);
    await writeFile(path, '#!/bin/sh\necho "db version v8.0.1"\n');
    expect(await firstFetched([{ path, version: '8.2.7' }], log)).to.equal(undefined);
    expect(lines.splice(0)).to.deep.equal([`${path} is skipped: it is MongoDB 8.0.1, not 8.2.7`]);
  });

  it('ends a program that does not answer, and says so', async () => {
    const path = await writeProgram(folder, 'silent', 'exec sleep 60');
    expect(await probeBinary(path, 100)).to.deep.equal({ problem: 'it has not answered within 0.1 s' });
  });

  it('deletes an archive that is not the pinned one, and runs nothing of it', async () => {
    const cacheDir = join(folder, 'wrong');
    const error = await rejection(downloadOfficial(cacheDir, { ...pin, sha256: hash }));
    expect(error).to.include(`is not what was expected and was thrown away: its SHA-256 is ${pin.sha256}, not ${hash}`);
    expect(error).to.include('MONGODB_URI');
    // A program that is run leaves the file was-run.
    expect(await readdir(cacheDir)).to.deep.equal([]);
  });

  it('refuses an archive of another version than the pinned one', async () => {
    const cacheDir = join(folder, 'other-version');
    const error = await rejection(downloadOfficial(cacheDir, { ...pin, version: '8.2.8' }));
    expect(error).to.include('the archive that was pinned as 8.2.8 holds MongoDB 8.2.7');
    expect(await readdir(cacheDir)).to.deep.equal(['was-run']);
  });
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
