import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot, packageVersion } from '../../src/package-root.js';
import { runCli } from '../support/run-cli.js';

describe('npx mangrove', () => {
  const cases: readonly (readonly [line: string, exitCode: number, printed: readonly string[]])[] = [
    ['', 1, ['usage: npx mangrove <command>', '  start ', '  models ', '  user ', '  token ', '  permissions ']],
    ['help', 0, ['usage: npx mangrove <command>', 'npx mangrove <command> --help']],
    ['--version', 0, [packageVersion]],
    ['modls list', 1, ['there is no command modls; did you mean models?', 'usage: npx mangrove <command>']],
    ['constructor', 1, ['there is no command constructor']],
    ['user --help', 0, ['usage: npx mangrove user <command>', 'set-password']],
    ['models', 1, ['usage: npx mangrove models <command>']],
    ['start --help', 0, ['usage: npx mangrove start']],
    ['start now', 1, ['usage: npx mangrove start']],
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
});
