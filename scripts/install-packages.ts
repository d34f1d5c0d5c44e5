import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a project in its folder, unless an earlier run has; `args` are further arguments of npm. Throws an Error if
 * npm fails.
 */
export function installPackages(folder: string, args: readonly string[] = []): void {
  const done = join(folder, 'node_modules', '.installed');
  if (existsSync(done)) return;
  console.log(`installing packages in ${folder}`);
  const shell = process.platform === 'win32'; // npm is a script there
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...args], { cwd: folder, stdio: 'inherit', shell });
  writeFileSync(done, '');
}
