import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { TestModel } from './serve.js';

/**
 * Reads the models of a project as Strapi v4 lays it out: `api/<api>/content-types/<name>/schema.json` and
 * `components/<category>/<name>.json`. The path gives the uid, as it does there.
 */
export function readProject(directory: URL): TestModel[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => ({
    ...(JSON.parse(readFileSync(join(directory.pathname, file), 'utf8')) as object),
    uid: uidOf(file.replace(/\.json$/, '').split(sep)),
  }));
}

function uidOf([folder = '', owner = '', ...rest]: readonly string[]): string {
  return folder === 'components' ? `${owner}.${rest[0] ?? ''}` : `api::${owner}.${rest[1] ?? ''}`;
}

/** A bookshop: ten content types and seven components that use every kind of attribute and relation. */
export const bookshopModels = (): TestModel[] => readProject(new URL('../fixtures/bookshop/', import.meta.url));

/** The models that the recordings of Strapi v4 were made with. */
export const recordedModels = (): TestModel[] => readProject(new URL('../fixtures/conformance/', import.meta.url));
