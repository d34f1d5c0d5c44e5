import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** Builds after an install; skips where the tools of the build are not installed, as with `npm install --omit=dev`. */
const hasTools = ['typescript/package.json', 'tsx/package.json'].every((name) => {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
});

if (hasTools) process.exitCode = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status ?? 1;
else console.log('build skipped: its tools are not installed');
