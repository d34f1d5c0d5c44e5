import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { showProgress } from '#operate/cli/show-progress.js';
import { pickPort } from '#operate/embedded/open-data.js';
import { packageRoot, packageVersion } from '#base/package-root.js';
import { freshDatabase } from '../../support/mongo.js';
import { program } from '../../support/program.js';
import { runCli } from '../../support/run-cli.js';

describe('npx mangrove', () => {
  const cases: readonly (readonly [line: string, exitCode: number, printed: readonly string[]])[] = [
    ['', 1, ['usage: npx mangrove <command>', '  start ', '  models ', '  user ', '  token ', '  permissions ']],
    ['help', 0, ['usage: npx mangrove <command>', 'npx mangrove <command> --help']],
    ['--version', 0, [packageVersion]],
    ['modls list', 1, ['there is no command modls; did you mean models?', 'usage: npx mangrove <command>']],
    ['constructor', 1, ['there is no command constructor']],
    ['user --help', 0, ['usage: npx mangrove user <command>', 'set-password']],
    ['start --help', 0, ['usage: npx mangrove start']],
    ['start now', 1, ["Unexpected argument 'now'", 'usage: npx mangrove start']],
    ['start --prot 80', 1, ['there is no option --prot; known: --project', 'usage: npx mangrove start']],
    ['help user', 0, ['usage: npx mangrove user <command>']],
    ['help usr', 1, ['there is no command usr; did you mean user?']],
    ['models add --help', 0, ['usage: npx mangrove models <command>']],
    ['models', 1, ['models needs a command', 'usage: npx mangrove models <command>']],
    ['models lst', 1, ['there is no command models lst; did you mean list?', 'usage: npx mangrove models <command>']],
    ['export --bogus', 1, ['there is no option --bogus; known: --key-file', 'usage: npx mangrove export']],
    ['import nothing.tar', 1, ['there is no file or folder nothing.tar']],
  ];
  for (const [line, exitCode, printed] of cases)
    it(`prints what helps: ${line || 'no command'}`, async () => {
      const [name = '', ...args] = line.split(' ');
      const result = await runCli(name, args, { directory: packageRoot, env: {} });
      expect(result.exitCode).to.equal(exitCode);
      for (const text of printed) expect(exitCode === 0 ? result.stdout : result.stderr).to.include(text);
    });

  const entry = JSON.stringify(join(packageRoot, 'bin/mangrove.cjs'));
  for (const [version, refused] of [
    ['18.20.8', true],
    ['20.18.3', true],
    ['20.19.0', false],
    ['24.0.0', false],
  ] as const)
    it(`${refused ? 'says which Node it needs' : 'runs'} with Node ${version}`, () => {
      const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } }); require(${entry});`;
      const { stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
      const message = `Mangrove needs Node 20.19 or newer; this is Node ${version}.`;
      expect(stderr.includes(message), stderr).to.equal(refused);
    });

  it('start is ready once the first request works, with the demo', async function () {
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-start-'));
    const database = await freshDatabase();
    const port = String(await pickPort(0));
    const env = { ...process.env, MONGODB_URI: database.uri, MANGROVE_DEMO: 'true', MANGROVE_OPEN: 'true', PORT: port };
    const child = spawn(process.execPath, [...(await program()), 'start'], { cwd: directory, env, stdio: 'ignore' });
    const ask = (path: string): Promise<number> =>
      fetch(`http://localhost:${port}${path}`).then(
        ({ status }) => status,
        () => 0,
      );
    try {
      while ((await ask('/_health/ready')) !== 200) await delay(20);
      expect(await ask('/api/articles')).to.equal(200);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
      await database.drop();
      await rm(directory, { recursive: true });
    }
  });
});

describe('progress without a terminal', () => {
  it('is a line every five seconds, with counts and the time that is left', () => {
    const lines: string[] = [];
    let time = 0;
    const progress = showProgress({ isTerminal: false, now: () => time, print: (line) => lines.push(line) });
    const advance = (seconds: number, steps: number): void => {
      time += seconds * 1000;
      progress.advance(steps);
    };
    progress.begin('entries', 1_000, 400);
    for (const seconds of [2, 2, 2, 1]) advance(seconds, 10);
    advance(300, 10);
    progress.end();
    progress.begin('reading', null);
    advance(6, 7);
    expect(lines).to.deep.equal([
      '  entries: 430 of 1000, 2 min left',
      '  entries: 450 of 1000, 56 min left',
      '  entries: 450 in 307.0 s',
      '  reading: 7',
    ]);
  });
});
