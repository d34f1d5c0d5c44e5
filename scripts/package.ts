import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  readonly files: readonly string[];
}

/** What only a clone needs. A `prepare` in the package would make npm warn everybody who installs it. */
const ofClone = ['scripts', 'devDependencies', 'overrides'];

const root = join(import.meta.dirname, '..');

/**
 * Writes the package into `target` and returns the name of its file. Its package.json has nothing that only a clone needs. Builds
 * first if a source is newer than the build.
 */
export function writePackage(target: string): string {
  if (!isBuilt()) execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const staging = mkdtempSync(join(tmpdir(), 'mangrove-package-'));
  try {
    const manifest = readManifest();
    for (const name of manifest.files.filter((file) => !file.startsWith('!')))
      cpSync(join(root, name), join(staging, name), { recursive: true });
    const published = Object.fromEntries(Object.entries(manifest).filter(([key]) => !ofClone.includes(key)));
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    const words = ['pack', staging, '--pack-destination', target, '--silent'];
    return execFileSync('npm', words, { cwd: root, encoding: 'utf8' }).trim();
  } finally {
    rmSync(staging, { recursive: true });
  }
}

const readManifest = (): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** Returns whether the build is at least as new as every source. A build writes all of its files. */
function isBuilt(): boolean {
  const built = join(root, 'dist/src/main.js');
  if (!existsSync(built)) return false;
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = [...names.map((name) => join('src', name)), 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
  const { mtimeMs } = statSync(built);
  return sources.every((name) => statSync(join(root, name)).mtimeMs <= mtimeMs);
}

if (process.argv[1] === import.meta.filename) console.log(writePackage(process.cwd()));
