import { cp, mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '#base/package-root.js';
import { valuesOf } from '#settings/translation.js';
import type { Values } from '#base/values.js';
import { print } from './print.js';
import { onlyWord } from './usage-error.js';

export const usage = `usage: npx mangrove new DIR
  Creates a project in an empty or new folder: a content type, a route and a test.`;

/** Creates a project, and prints the next commands. Returns the exit code. Throws an Error if the folder is not empty. */
export async function run(args: readonly string[]): Promise<number> {
  const name = onlyWord(args, 'a folder');
  const directory = resolve(name);
  await makeEmptyFolder(directory, name);
  await cp(join(packageRoot, 'template'), directory, { recursive: true });
  // npm leaves files out of packages that are called .gitignore.
  for (const file of ['gitignore', 'dockerignore']) await rename(join(directory, file), join(directory, `.${file}`));
  await writeManifest(directory);
  print(nextSteps(name));
  return 0;
}

async function makeEmptyFolder(directory: string, name: string): Promise<void> {
  const isFolder = (await stat(directory).catch(() => null))?.isDirectory() ?? true;
  if (!isFolder) throw new Error(`${name} is not an empty folder`);
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) throw new Error(`${name} is not empty`);
}

async function writeManifest(directory: string): Promise<void> {
  const file = join(directory, 'package.json');
  const manifest = await readManifest(directory);
  const name = basename(directory)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const dependencies = { mangrove: await ownSource(directory) };
  const written = { ...manifest, name: name === '' || name === 'mangrove' ? 'app' : name, dependencies };
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
}

const readManifest = async (directory: string): Promise<Values> =>
  valuesOf(JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')));

/**
 * Returns where the project gets this package from: what the project in which it is installed names, or else the folder of the
 * package. Never a version of the registry that nobody has named.
 */
async function ownSource(directory: string): Promise<string> {
  const local = (path: string): string => `file:${relative(directory, path).replaceAll('\\', '/')}`;
  const modules = dirname(packageRoot);
  if (basename(modules) !== 'node_modules') return local(packageRoot);
  const root = dirname(modules);
  const { dependencies, devDependencies } = await readManifest(root).catch((): Values => ({}));
  const named = valuesOf(dependencies)['mangrove'] ?? valuesOf(devDependencies)['mangrove'];
  if (typeof named !== 'string') return local(packageRoot);
  return named.startsWith('file:') ? local(resolve(root, named.slice('file:'.length))) : named;
}

const nextSteps = (name: string): string => `${name} is created. Next:

  cd ${/^[\w./-]+$/.test(name) ? name : `'${name}'`}
  npm install
  npm test
  npm start

and in another terminal:

  curl localhost:1337/api/notes -H 'content-type: application/json' -d '{ "data": { "title": "Salt" } }'
  curl localhost:1337/api/notes
  curl localhost:1337/api/notes/newest
  curl localhost:1337/graphql -H 'content-type: application/json' -d '{ "query": "{ notes { data { id attributes { title } } } }" }'

README.md describes the folders.`;
