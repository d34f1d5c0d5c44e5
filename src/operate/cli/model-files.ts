import { readFile, readdir, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ModelDocument } from '#strapi/load/model-files.js';
import { isRecord, kebabCase, type Values } from '#base/values.js';
import { messageOf } from '#base/errors.js';

/** A model that was read from a file. */
interface ModelFile {
  /** Absolute path of the file. */
  readonly file: string;
  readonly document: ModelDocument;
}

interface ModelFiles {
  readonly models: readonly ModelFile[];
  /** Files that could not be read as models although they are named or placed like models, with the reason. */
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
}

/** A place of models in a Strapi project. */
interface Place {
  readonly path: RegExp;
  /** Returns the uid for the names in a path and the `singularName` of the model, if it has one. */
  readonly uid: (names: readonly string[], singularName?: string) => string;
}

const places: readonly Place[] = [
  {
    path: /\/api\/([^/]+)\/content-types\/([^/]+)\/schema\.json$/,
    uid: ([api = '', name = '']) => `api::${kebabCase(api)}.${kebabCase(name)}`,
  },
  {
    path: /\/extensions\/([^/]+)\/(?:server\/)?(?:src\/)?content-types\/([^/]+)\/schema\.json$/,
    uid: ([plugin = '', name = '']) => `plugin::${plugin}.${kebabCase(name)}`,
  },
  {
    // the code of a plugin, not the name of the folder, decides which type it is
    path: /\/plugins\/([^/]+)\/(?:server\/)?(?:src\/)?content-types\/([^/]+)\/schema\.json$/,
    uid: ([plugin = '', name = ''], singularName = name) => `plugin::${plugin}.${kebabCase(singularName)}`,
  },
  { path: /\/components\/([^/]+)\/([^/]+)\.json$/, uid: ([category = '', name = '']) => `${category}.${name}` },
];

/** Top-level folders of a project that contain no models, or only copies. */
const skipped = new Set(['dist', 'build', 'public', 'config', 'database']);

/**
 * Reads the models of files and folders. In a folder these are all schema.json files and components in the places of a Strapi
 * project, and all other JSON files whose models have uids.
 */
export async function readModelFiles(paths: readonly string[]): Promise<ModelFiles> {
  const read = await Promise.all(paths.map((path) => readPath(resolve(path))));
  return { models: read.flatMap(({ models }) => models), unreadable: read.flatMap(({ unreadable }) => unreadable) };
}

async function readPath(path: string): Promise<ModelFiles> {
  if (!(await stat(path)).isDirectory()) return readOne(path, true);
  const files = await jsonFiles(path, existsSync(join(path, 'package.json')) ? skipped : new Set());
  const read = await Promise.all(files.map((file) => readOne(file, false)));
  return { models: read.flatMap(({ models }) => models), unreadable: read.flatMap(({ unreadable }) => unreadable) };
}

/** Returns the JSON files below a folder, sorted by name. */
async function jsonFiles(directory: string, without: ReadonlySet<string> = new Set()): Promise<string[]> {
  const entries = (await readdir(directory, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) || without.has(entry.name) ? [] : jsonFiles(path);
      return entry.name.endsWith('.json') ? [path] : [];
    }),
  );
  return found.flat();
}

/** Reads the models of one file. `isNamed` is whether the caller named the file, which must then contain models. */
async function readOne(file: string, isNamed: boolean): Promise<ModelFiles> {
  const placed = placeOf(file);
  const content = await parseFile(file);
  if ('reason' in content)
    return { models: [], unreadable: isNamed || placed !== null ? [{ file, reason: content.reason }] : [] };
  const items = Array.isArray(content.value) ? (content.value as readonly unknown[]) : [content.value]; // an array of anything
  const documents = items.flatMap((item) => documentOf(item, items.length === 1 ? placed : null) ?? []);
  const models = documents.map((document) => ({ file, document }));
  if (!isNamed || documents.length === items.length) return { models, unreadable: [] };
  return { models, unreadable: [{ file, reason: 'a model must have a uid, or stand where a Strapi project keeps it' }] };
}

/** Returns a function that returns the uid of a model for the path of its file; null if it is not a path of a model. */
function placeOf(file: string): ((model: Values) => string) | null {
  const path = file.replaceAll('\\', '/');
  for (const place of places) {
    const [, ...names] = place.path.exec(path) ?? [];
    if (names.length > 0) return ({ info }) => place.uid(names, singularNameIn(info));
  }
  return null;
}

const singularNameIn = (info: unknown): string | undefined =>
  isRecord(info) && typeof info['singularName'] === 'string' ? info['singularName'] : undefined;

/** Returns a model with its own uid, or else the uid of its path; null if it is not a model or has neither. */
function documentOf(item: unknown, placed: ((model: Values) => string) | null): ModelDocument | null {
  if (!isRecord(item) || !isRecord(item['attributes'])) return null;
  const uid = typeof item['uid'] === 'string' ? item['uid'] : (placed?.(item) ?? null);
  if (uid === null) return null;
  const rest = Object.entries(item).filter(([key]) => key !== 'uid' && !key.startsWith('$'));
  return { uid, ...Object.fromEntries(rest) };
}

async function parseFile(file: string): Promise<{ readonly value: unknown } | { readonly reason: string }> {
  try {
    return { value: JSON.parse(await readFile(file, 'utf8')) as unknown };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/** Returns the path of a file for messages. */
export const shownFile = (file: string): string => relative(process.cwd(), file) || file;
