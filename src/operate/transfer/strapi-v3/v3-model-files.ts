import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { isRecord, type Values } from '#base/values.js';
import { parseImported } from '../parse-imported.js';
import { messageOf } from '#base/errors.js';
import { scalars } from './v3-models.js';

/**
 * Returns the definitions in the folder of a Strapi v3 project, in the form in which its database stores them: models,
 * components, and plugins. Plugins that are not installed there have their default definitions. Throws an Error with the name of
 * a file that is not JSON.
 */
export async function readDefinitions(project: string): Promise<readonly Values[]> {
  const files = await Promise.all(places.map((place) => readPlace(project, place)));
  const definitions = new Map<string, Values>(plugins.map((definition) => [definition.uid, definition]));
  for (const definition of files.flat()) {
    const former = definitions.get(String(definition['uid']));
    const attributes = { ...attributesOf(former), ...attributesOf(definition) };
    definitions.set(String(definition['uid']), { ...former, ...definition, attributes });
  }
  return [...definitions.values()];
}

const attributesOf = (definition: Values | undefined): object =>
  isRecord(definition?.['attributes']) ? definition['attributes'] : {};

interface DefinitionPlace {
  readonly folder: string;
  /** Matches a path below the folder, and captures owner and name. */
  readonly path: RegExp;
  readonly identify: (owner: string, name: string) => { readonly uid: string; readonly collectionName: string };
}

const ofPlugin = (owner: string, name: string) => ({ uid: `plugins::${owner}.${name}`, collectionName: `${owner}_${name}` });

/** The places of definitions. Later ones extend earlier ones. */
const places: readonly DefinitionPlace[] = [
  { folder: 'node_modules', path: /^strapi-plugin-([^/]+)\/models\/([^/]+)\.settings\.json$/, identify: ofPlugin },
  { folder: 'extensions', path: /^([^/]+)\/models\/([^/]+)\.settings\.json$/, identify: ofPlugin },
  {
    folder: 'api',
    path: /^([^/]+)\/models\/([^/]+)\.settings\.json$/,
    identify: (owner, name) => ({ uid: `application::${owner}.${name}`, collectionName: name }),
  },
  {
    folder: 'components',
    path: /^([^/]+)\/([^/]+)\.json$/,
    identify: (owner, name) => ({ uid: `${owner}.${name}`, collectionName: `components_${owner}_${name}` }),
  },
];

/** Reads the definitions in one place. Names are in lower case, because Strapi v3 refers to files that way. */
async function readPlace(project: string, { folder, path, identify }: DefinitionPlace): Promise<readonly Values[]> {
  const definitions: Values[] = [];
  for (const file of await filesIn(join(project, folder), folder === 'node_modules' ? /^strapi-plugin-/ : /^/)) {
    const [, owner, name] = path.exec(file.split(sep).join('/')) ?? [];
    if (owner === undefined || name === undefined) continue;
    const definition = await readJson(join(project, folder, file));
    definitions.push({ ...identify(owner.toLowerCase(), name.toLowerCase()), ...definition });
  }
  return definitions;
}

/** Returns the files in the folders whose names match, and in their subfolders `models`. */
async function filesIn(folder: string, names: RegExp): Promise<readonly string[]> {
  const found: string[] = [];
  const owners = await readdir(folder).catch(() => []);
  for (const owner of owners.filter((name) => names.test(name)).sort())
    for (const place of [owner, join(owner, 'models')])
      found.push(...(await readdir(join(folder, place)).catch(() => [])).sort().map((name) => join(place, name)));
  return found;
}

async function readJson(file: string): Promise<Values> {
  const text = await readFile(file).catch((error: unknown) => {
    throw new Error(`${basename(file)} cannot be read: ${messageOf(error)}`);
  });
  const { value } = parseImported(text, basename(file));
  if (value === undefined) throw new Error(`${basename(file)} cannot be read: it is not JSON`);
  return isRecord(value) ? value : {};
}

const users = { plugin: 'users-permissions' };

/** The default definitions of the plugins whose content is imported. */
const plugins = [
  {
    uid: 'plugins::upload.file',
    collectionName: 'upload_file',
    attributes: {
      ...scalars('string', ['name', 'alternativeText', 'caption', 'hash', 'ext', 'mime', 'url', 'previewUrl', 'provider']),
      ...scalars('integer', ['width', 'height']),
      ...scalars('json', ['formats', 'provider_metadata']),
      size: { type: 'decimal' },
      related: { collection: '*', filter: 'field' },
    },
  },
  {
    uid: 'plugins::users-permissions.user',
    collectionName: 'users-permissions_user',
    attributes: {
      ...scalars('string', ['username', 'email', 'provider', 'resetPasswordToken', 'confirmationToken']),
      ...scalars('boolean', ['confirmed', 'blocked']),
      password: { type: 'password' },
      role: { model: 'role', via: 'users', ...users },
    },
  },
  {
    uid: 'plugins::users-permissions.role',
    collectionName: 'users-permissions_role',
    attributes: {
      ...scalars('string', ['name', 'description', 'type']),
      users: { collection: 'user', via: 'role', ...users },
      permissions: { collection: 'permission', via: 'role', ...users },
    },
  },
  {
    uid: 'plugins::users-permissions.permission',
    collectionName: 'users-permissions_permission',
    attributes: { type: { type: 'string' }, role: { model: 'role', via: 'permissions', ...users } },
  },
  { uid: 'plugins::i18n.locale', collectionName: 'i18n_locales', attributes: scalars('string', ['name', 'code']) },
] as const;
