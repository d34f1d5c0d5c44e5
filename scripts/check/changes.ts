import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Checks what has changed since `main` (or the commit that is given), before it is committed: types, ESLint and Prettier of the
 * changed files, imports and structure. Runs all checks, and exits with 1 if one of them failed.
 */
const base = process.argv[2] ?? 'main';

const git = (...args: readonly string[]): readonly string[] =>
  spawnSync('git', args, { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '');

const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')].filter(existsSync);
const code = changed.filter((name) => /\.(ts|js|mjs|cjs)$/.test(name));

const checks: readonly (readonly string[])[] = [
  ['tsc', '--noEmit'],
  ...(code.length > 0 ? [['eslint', ...code]] : []),
  ...(changed.length > 0 ? [['prettier', '--check', '--ignore-unknown', ...changed]] : []),
  ['tsx', 'scripts/check/imports.ts'],
  ['tsx', 'scripts/check/structure.ts'],
];

const failed = checks.filter(([command = '', ...args]) => {
  console.log(`\n== ${command} ${args.length > 3 ? `(${String(args.length)} arguments)` : args.join(' ')}`);
  return spawnSync(command, args, { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.map(([command]) => command).join(', ')}`);
  process.exitCode = 1;
}
