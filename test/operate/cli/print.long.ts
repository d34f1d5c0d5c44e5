import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sourceUrl } from '../../support/program.js';

/** What a script prints that calls the functions of src/operate/cli/print.ts and shows progress. */
async function printed(script: string): Promise<readonly [stdout: string, stderr: string]> {
  const load = `const { print, printError, printTable } = await import(${JSON.stringify(await sourceUrl('operate/cli/print.ts'))});
    const { showProgress } = await import(${JSON.stringify(await sourceUrl('operate/cli/show-progress.ts'))});`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', load + script]);
  return [stdout, stderr];
}

describe('cli/print', () => {
  const cases: readonly (readonly [script: string, stdout: string, stderr: string])[] = [
    [String.raw`print('a\x1b[2Jb')`, 'a\\u001b[2Jb\n', ''],
    [String.raw`print('a\r\x7f\x9b31m\u202e\tb\nc')`, 'a\\u000d\\u007f\\u009b31m\\u202e\tb\nc\n', ''],
    [String.raw`print('قال\u200f و👩‍👩‍👧')`, 'قال\u200f و👩‍👩‍👧\n', ''],
    [String.raw`print(JSON.stringify(['\x1b\x9b']))`, '["\\u001b\\u009b"]\n', ''],
    [String.raw`printError('a\x07')`, '', 'a\\u0007\n'],
    [String.raw`printError(Object.assign(new Error('a\x1b[31m'), { stack: 'Error: a\x1b[31m' }))`, '', '[Error: a\\u001b[31m]\n'],
    [
      String.raw`printTable([['a\nb', '\x1b]0;t\x07', 'c'], ['long name', 'd', '']])`,
      'a b        \\u001b]0;t\\u0007  c\nlong name  d\n',
      '',
    ],
    [String.raw`const p = showProgress(); p.begin('a\x1b[2J', null); p.end()`, '', '  a\\u001b[2J: 0 in 0.0 s\n'],
  ];
  for (const [script, ...expected] of cases)
    it(script, async () => {
      expect(await printed(script)).to.deep.equal(expected);
    });
});
