import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { playgroundFiles, playgroundPackage } from '../src/api/graphql/playground/playground-page.js';
import { docsFiles } from '../src/api/openapi/docs-routes.js';

/** A front end whose built files the service serves. */
interface FrontEnd {
  readonly name: string;
  /** Name and version of the package. */
  readonly source: string;
  /** The hash of this package; other content under its name is refused. */
  readonly integrity: string;
  /** Paths in the package. */
  readonly files: readonly string[];
  /** The folder that the service reads. */
  readonly target: string;
}

export const playground: FrontEnd = {
  name: 'the GraphQL playground',
  source: playgroundPackage,
  integrity: 'sha512-YPR33Ph9kuKlFOMpc8mKGsL/fOiX0ltgzV1BokXYNsBLtTVQnhdCSKQuZg80CcxWKD8syNuWXDkGZSAdFkwmRg==',
  files: Object.keys(playgroundFiles),
  target: path.resolve(import.meta.dirname, '../dist/playground'),
};

export const swaggerPage: FrontEnd = {
  name: 'the documentation page',
  source: 'swagger-ui-dist@5.35.0',
  integrity: 'sha512-U06rpMtW9V3XPGOBeamTUSr0Z09jMX4IJuANpE/EZbAhw0G8CgwrzU4YmXkn/h0wCDNsXdGarTNNHC3sU8yVUQ==',
  files: [...Object.keys(docsFiles), 'LICENSE'],
  target: path.resolve(import.meta.dirname, '../dist/docs'),
};

/**
 * Puts the built files of a front end, with their licence, into its folder. They are taken out of the package's archive: to install
 * the package of the playground would bring two hundred others that only its build needs, and that of Swagger UI one whose script
 * reports the install to a third party.
 */
export async function copyFrontEnd({ source, integrity, files, target }: FrontEnd): Promise<void> {
  if (files.every((file) => existsSync(path.join(target, file)))) return;
  const directory = await mkdtemp(path.join(tmpdir(), 'front-end-'));
  try {
    const archive = await fetchArchive(source, integrity, directory);
    await mkdir(target, { recursive: true });
    const entries = new Set(files.map((file) => `package/${file}`));
    await extract({ file: archive, cwd: target, strip: 1, filter: (entry) => entries.has(entry) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function fetchArchive(source: string, integrity: string, directory: string): Promise<string> {
  const command = ['pack', source, '--pack-destination', directory, '--json'];
  const { stdout } = await promisify(execFile)('npm', command, { cwd: directory });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const archive = path.join(directory, filename);
  const hash = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (`sha512-${hash}` !== integrity) throw new Error(`${source} has another hash than the pinned one`);
  return archive;
}

if (process.argv[1] === import.meta.filename)
  for (const frontEnd of [playground, swaggerPage])
    await copyFrontEnd(frontEnd).catch((error: unknown) => {
      console.warn(`${frontEnd.name} could not be fetched and will be missing: ${String(error)}`);
    });
