import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { copyContext, copyNamed, giveTo, type Instruction, makeFolder, type Place, readStages, run, user } from './dockerfile.js';

/** Milliseconds that the installation and the build may take. */
const patience = 1_200_000;

const secret = (letter: string): string => `${letter}9f86d081884c7d659a2feaa0c55ad015`;

/** Runs the instructions of the Dockerfile in their order, as a user without rights, in folders instead of layers. */
describe('the commands of the Dockerfile', function () {
  this.timeout(patience);
  const [build = [], final = []] = readStages();
  const root = mkdtempSync(join(tmpdir(), 'mangrove-image-'));
  const [buildFolder, finalFolder, home] = ['build', 'final', 'home'].map((name) => makeFolder(root, name)) as [
    string,
    string,
    string,
  ];
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/i.test(name)));
  const env = { ...inherited, HOME: home, npm_config_registry: registry, PACKAGES: '@aws-sdk/client-s3@3', PANEL: 'true' };
  const place: Place = { cwd: buildFolder, env };
  let database: FreshDatabase;
  let service: ChildProcess | undefined;

  before(async () => {
    giveTo(root);
    database = await freshDatabase();
  });
  after(async () => {
    service?.kill('SIGKILL');
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  });

  const execute = async ({ name, text }: Instruction): Promise<void> => {
    if (name === 'RUN') await run(['sh', '-c', text], place);
    else if (text === '. .') copyContext(buildFolder);
    else if (name === 'COPY') copyNamed(text, join(buildFolder, '../context'), buildFolder);
    giveTo(buildFolder);
  };

  for (const instruction of build.filter(({ name }) => ['RUN', 'COPY'].includes(name)))
    it(`build: ${instruction.name} ${instruction.text}`, async () => {
      if (!existsSync(join(root, 'context'))) copyContext(makeFolder(root, 'context'));
      await execute(instruction);
    });

  it('leave no package that only the build needs', () => {
    for (const name of ['typescript', 'mocha', 'eslint', 'tsx', '@redocly/cli'])
      expect(existsSync(join(buildFolder, 'node_modules', name)), name).to.equal(false);
  });

  for (const { name, text } of final.filter(({ name }) => ['RUN', 'COPY'].includes(name)))
    it(`image: ${name} ${text}`, async () => {
      // the user has no name here
      if (name === 'RUN') await run(['sh', '-c', text.replace(/ && chown \S+ data$/, '')], { cwd: finalFolder, env });
      else copyNamed(text, buildFolder, finalFolder);
    });

  it('make an image whose service starts, is healthy, and stops, on a file system that is read only', async () => {
    const commandOf = (wanted: string): readonly string[] =>
      JSON.parse(/\[.*\]$/.exec(final.find(({ name }) => name === wanted)?.text ?? '')?.[0] ?? '[]') as readonly string[];
    giveTo(finalFolder);
    execFileSync('chmod', ['-R', 'a-w', finalFolder]);
    const port = 20_000 + (process.pid % 10_000);
    const own = Object.fromEntries(
      (final.find(({ name }) => name === 'ENV')?.text ?? '')
        .split(' ')
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ) as Record<string, string>;
    const settings = {
      ...{ MONGODB_URI: database.uri, PORT: String(port), HOST: '127.0.0.1' },
      ...{ JWT_SECRET: secret('a'), API_TOKEN_SALT: secret('b'), ADMIN_TOKEN: secret('c') },
    };
    const imageEnv = { ...env, ...own, ...settings } as NodeJS.ProcessEnv;
    const [program = '', ...args] = commandOf('CMD');
    const started = spawn(program, args, { cwd: finalFolder, env: imageEnv, ...user, stdio: 'inherit' });
    service = started;
    const healthy = (): Promise<boolean> =>
      run(commandOf('HEALTHCHECK'), { cwd: finalFolder, env: imageEnv }).then(
        () => true,
        () => false,
      );
    const end = Date.now() + 60_000;
    while (!(await healthy())) {
      if (Date.now() > end || started.exitCode !== null) throw new Error('the service is not healthy within a minute');
      await delay(200);
    }
    const load = "require('bcrypt').hashSync('a', 4); require('sharp'); require('@aws-sdk/client-s3')";
    await run(['node', '-e', load], { cwd: finalFolder, env: imageEnv });
    const panel = await fetch(`http://127.0.0.1:${String(port)}/admin`);
    expect(await panel.text()).to.include('<div id="strapi">');
    await run(['node', 'bin/mangrove.cjs', 'permissions', 'list', 'public'], { cwd: finalFolder, env: imageEnv });
    started.kill('SIGTERM');
    const [code] = (await once(started, 'exit')) as [number | null];
    expect(code).to.equal(0);
  });
});
