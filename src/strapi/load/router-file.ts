import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { valuesOf } from '#settings/translation.js';

/**
 * Writes the router of a new content type, as the builder of Strapi v4 does: a project that has routers serves no type without one.
 * Writes nothing if the project has no routers, or if the API of the type has its own already.
 */
export async function writeRouter(uid: string, modelFile: string): Promise<void> {
  const [, api = '', name = ''] = /^api::([^.]+)\.(.+)$/.exec(uid) ?? [];
  const folder = join(dirname(modelFile), '../..');
  if (api === '' || existsSync(join(folder, 'routes')) || !(await hasRouters(dirname(folder)))) return;
  const { extension, code } = routerOf(uid, join(folder, '../../..'));
  await mkdir(join(folder, 'routes'), { recursive: true });
  await writeFile(join(folder, 'routes', `${name}.${extension}`), code);
}

/** Returns whether any API of a project has files of routes. */
async function hasRouters(apis: string): Promise<boolean> {
  const folders = await readdir(apis).catch(() => []);
  const files = await Promise.all(folders.map((folder) => readdir(join(apis, folder, 'routes')).catch(() => [])));
  return files.flat().length > 0;
}

/** Returns the code of a router in the language and module format of a project. */
function routerOf(uid: string, project: string): { readonly extension: 'ts' | 'js'; readonly code: string } {
  const { type, dependencies } = manifestOf(project);
  const source = 'mangrove' in valuesOf(dependencies) ? 'mangrove' : '@strapi/strapi';
  const extension = existsSync(join(project, 'tsconfig.json')) ? 'ts' : 'js';
  const isModule = extension === 'ts' || type === 'module';
  const [head, start] = isModule
    ? [`import { factories } from '${source}';`, 'export default ']
    : [`const { factories } = require('${source}');`, 'module.exports = '];
  return { extension, code: `${head}\n\n${start}factories.createCoreRouter('${uid}');\n` };
}

const manifestOf = (project: string): Readonly<Record<string, unknown>> => {
  const file = join(project, 'package.json');
  return existsSync(file) ? valuesOf(JSON.parse(readFileSync(file, 'utf8'))) : {};
};
