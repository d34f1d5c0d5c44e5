import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Model } from '#model/schema/model.js';

/** The folder of the demo. */
export const demoFolder = path.join(import.meta.dirname, '../../../../config/demo');

/** One entry of a demo file; `localizationOf` is the key of the entry that it translates. */
export interface DemoEntry {
  readonly key: string;
  readonly localizationOf?: string;
  readonly locale?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The entries of one content type, as one file of config/demo/entries holds them. */
export interface DemoFile {
  readonly name: string;
  readonly type: string;
  readonly entries: readonly DemoEntry[];
}

/** A picture of config/demo/files, as config/demo/files.json lists it. */
export interface DemoPicture {
  readonly name: string;
  readonly alternativeText: string;
}

/** The content of config/demo. */
export interface Demo {
  /** By uid. */
  readonly models: ReadonlyMap<string, Model>;
  /** In the order in which they are loaded. */
  readonly files: readonly DemoFile[];
  readonly pictures: readonly DemoPicture[];
}

/**
 * Reads the demo. At once: a test file that awaited it at its top would be loaded apart from the hooks of the run, with a server of
 * its own that nothing stops.
 */
export function readDemo(): Demo {
  // The shape of both is what the tests check.
  const models = readFolder('models').map(({ content }) => content as Model);
  const files = readFolder('entries').map(({ name, content }) => ({ ...(content as DemoFile), name }));
  const pictures = readJson('files.json') as DemoPicture[];
  return { models: new Map(models.map((model) => [model.uid, model])), files, pictures };
}

function readFolder(folder: string): { name: string; content: unknown }[] {
  const names = readdirSync(path.join(demoFolder, folder)).sort();
  return names.map((name) => ({ name, content: readJson(path.join(folder, name)) }));
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(path.join(demoFolder, name), 'utf8'));
