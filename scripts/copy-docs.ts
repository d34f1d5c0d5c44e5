import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { docsFiles } from '../src/openapi/docs-routes.js';

/** Returns the folder of the package. */
const readDirectory = createRequire(import.meta.url)('swagger-ui-dist/absolute-path.js') as () => string; // it has no types

/** Copies the files of swagger-ui that the documentation page loads, with their licence, to `target`. */
export async function copyDocs(target: string): Promise<void> {
  const from = readDirectory();
  await mkdir(target, { recursive: true });
  for (const name of [...Object.keys(docsFiles), 'LICENSE']) await copyFile(path.join(from, name), path.join(target, name));
}

if (process.argv[1] === import.meta.filename) await copyDocs(path.resolve(import.meta.dirname, '../dist/docs'));
