import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { isForegroundScript } from '#operate/cli/program.js';
import { pickPort } from '#operate/embedded/open-data.js';
import { program } from '../../support/program.js';

/** The command lines of the processes of Linux that name a folder. */
async function processesOf(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(folder));
}

describe('a signal to npm', function () {
  if (process.platform !== 'linux') return;
  this.timeout(180_000);

  /** Creates an app that has installed the program. Its name is in the command lines of the service and of its mongod. */
  async function createApp(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-stop-'));
    const bin = join(directory, 'node_modules/.bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(directory, 'package.json'), JSON.stringify({ scripts: { start: 'mangrove start' } }));
    const words = [process.execPath, ...(await program())].map((word) => `'${word}'`).join(' ');
    await writeFile(join(bin, 'mangrove'), `#!/bin/sh\nexec ${words} "$@" --project '${directory}'\n`, { mode: 0o755 });
    return directory;
  }

  type Case = readonly [words: string, signal: NodeJS.Signals, to: 'npm' | 'group', when: 'ready' | 'starting'];
  const cases: readonly Case[] = [
    ['npx mangrove start', 'SIGTERM', 'npm', 'ready'],
    ['npx mangrove start', 'SIGTERM', 'npm', 'starting'],
    ['npx mangrove start', 'SIGINT', 'group', 'ready'], // Ctrl-C in a terminal
    ['npm start', 'SIGTERM', 'npm', 'ready'],
  ];
  for (const [words, signal, to, when] of cases)
    it(`ends the service and its MongoDB: ${words}, ${signal} to ${to}, ${when}`, async () => {
      const directory = await createApp();
      const port = await pickPort(0);
      const [command = '', ...args] = words.split(' ');
      const env = { ...process.env, PORT: String(port), MONGODB_URI: '', HOST: '127.0.0.1' };
      const npm = spawn(command, args, { cwd: directory, env, stdio: 'ignore', detached: true });
      const isReady = (): Promise<boolean> =>
        fetch(`http://127.0.0.1:${String(port)}/_health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      const isStarting = (): Promise<boolean> => Promise.resolve(existsSync(join(directory, 'data/db/WiredTiger')));
      try {
        while (!(await (when === 'ready' ? isReady() : isStarting()))) await delay(20);
        expect(await processesOf(directory)).not.to.deep.equal([]);
        process.kill(to === 'group' ? -Number(npm.pid) : Number(npm.pid), signal);
        await once(npm, 'exit');
        while ((await processesOf(directory)).length > 0) await delay(20);
      } finally {
        await rm(directory, { recursive: true });
      }
    });
});

describe('isForegroundScript', () => {
  const cases: readonly (readonly [script: string, expected: boolean])[] = [
    ['mangrove', true],
    ["'mangrove'", true],
    ['mangrove start', true],
    ['cd app && mangrove start', true],
    ['mangrove start & vite', false],
    ['mangrove start &', false],
    ["mocha 'test/**/*.test.ts'", false],
    ['', false],
  ];
  for (const [script, expected] of cases)
    it(`${script || 'no script'}: ${String(expected)}`, () => {
      expect(isForegroundScript(script)).to.equal(expected);
    });
});
