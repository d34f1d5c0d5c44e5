import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** Builds after an install; skips where the tools of the build are not installed, as with `npm install --omit=dev`. */
const hasTools = ['typescript/package.json', 'tsx/package.json'].every((name) => {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
});

/** Puts the program where npx looks first, so that `npx mangrove` runs here as it does in a project that has installed the package. */
function linkProgram() {
  const folder = resolve('node_modules/.bin');
  mkdirSync(folder, { recursive: true });
  rmSync(resolve(folder, 'mangrove'), { force: true });
  symlinkSync('../../bin/mangrove.cjs', resolve(folder, 'mangrove'));
}

// npx has a slower way, for systems without links.
if (process.platform !== 'win32') linkProgram();
if (hasTools) process.exitCode = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status ?? 1;
else console.log('nothing is built: the tools of the build are not installed');
