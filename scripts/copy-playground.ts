import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { playgroundFiles, playgroundPackage } from '../src/graphql/playground/playground-page.js';

/** The hash of this package; other content under its name is refused. */
const integrity = 'sha512-YPR33Ph9kuKlFOMpc8mKGsL/fOiX0ltgzV1BokXYNsBLtTVQnhdCSKQuZg80CcxWKD8syNuWXDkGZSAdFkwmRg==';

/**
 * Puts the built files of the playground, with their licence, into `target`. They are taken out of the package's archive: to
 * install it would bring two hundred packages that only its build needs.
 */
export async function copyPlayground(target: string): Promise<void> {
  if (Object.keys(playgroundFiles).every((file) => existsSync(path.join(target, file)))) return;
  const directory = await mkdtemp(path.join(tmpdir(), 'playground-'));
  try {
    const archive = await fetchArchive(directory);
    await mkdir(target, { recursive: true });
    const wanted = new Set(Object.keys(playgroundFiles).map((file) => `package/${file}`));
    await extract({ file: archive, cwd: target, strip: 1, filter: (entry) => wanted.has(entry) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function fetchArchive(directory: string): Promise<string> {
  const command = ['pack', playgroundPackage, '--pack-destination', directory, '--json'];
  const { stdout } = await promisify(execFile)('npm', command, { cwd: directory });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const archive = path.join(directory, filename);
  const hash = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (`sha512-${hash}` !== integrity) throw new Error(`${playgroundPackage} has another hash than the pinned one`);
  return archive;
}

if (process.argv[1] === import.meta.filename)
  copyPlayground(path.resolve(import.meta.dirname, '../dist/playground')).catch((error: unknown) => {
    console.warn(`The GraphQL playground could not be fetched and will be missing: ${String(error)}`);
  });
