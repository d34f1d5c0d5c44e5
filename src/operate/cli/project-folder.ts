import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { dependenciesOf } from '#settings/find-plugins.js';
import { dependsOnStrapi } from '#settings/load-config.js';
import type { Database } from '#store/send/database.js';
import { readModels } from '#store/stores/model-store.js';
import { commandLine } from '#base/command-line.js';
import { readModelFiles } from './model-files.js';

/** The folder that a command works on. */
export interface ProjectFolder {
  /** Absolute path. */
  readonly directory: string;
  /** Whether the folder is named, and not only the working directory. */
  readonly isNamed: boolean;
}

/**
 * Returns the given folder, or that of MANGROVE_PROJECT, or the working directory. Throws an Error if it does not exist, or has a project
 * of Strapi v3.
 */
export function projectFolder(folder = process.env['MANGROVE_PROJECT']): ProjectFolder {
  const directory = resolve(folder ?? '.');
  if (!existsSync(directory)) throw new Error(`there is no folder ${directory}`);
  if (isOfV3(directory)) throw new Error(ofV3);
  return { directory, isNamed: folder !== undefined };
}

/** Returns whether a folder has a project of Strapi v3. */
function isOfV3(directory: string): boolean {
  const version = dependenciesOf(directory)['strapi'];
  return typeof version === 'string' && /^[^\d]*3\./.test(version);
}

const ofV3 =
  'this is a project of Strapi v3: its controllers, services, routes and plugins do not run here; its models and data come from MongoDB by npx mangrove import ADDRESS --project FOLDER, and from SQL by way of Strapi v4 (docs/coming-from-strapi.md)';

/** Returns whether a folder has code in the places of a Strapi project. */
export const hasCode = (directory: string): boolean => dependsOnStrapi(directory) || hasApis(join(directory, 'src/api'));

/** The folders of an API, by which it differs from another folder of this name. */
const partsOfApi = ['content-types', 'routes', 'controllers', 'services', 'policies', 'middlewares'];

/** Returns whether a folder has APIs. */
const hasApis = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => partsOfApi.some((part) => existsSync(join(folder, name, part))));

/** Returns the folder of a project that contains its models. */
export const modelFolder = (directory: string): string => {
  const source = join(directory, 'src');
  return existsSync(source) ? source : directory;
};

/** Returns a line that says which models of a project are not stored, with the commands that store them; null if all are. */
export async function describeUnstored(directory: string, database: Database): Promise<string | null> {
  const { models } = await readModelFiles([modelFolder(directory)]);
  const stored = new Set((await readModels(database)).map(({ uid }) => uid));
  const uids = models.map(({ document }) => document.uid).filter((uid) => uid.startsWith('api::') && !stored.has(uid));
  const [first, ...others] = uids;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` and ${String(others.length)} more`;
  return (
    `${first}${more} of ${relative(process.cwd(), modelFolder(directory)) || '.'} ${others.length === 0 ? 'is' : 'are'} not stored, and therefore not served: run ` +
    `${commandLine('models add .')}, or start with --project ., which stores changed models first`
  );
}
