import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Model } from '../../src/schema/model.js';

/** Where the demo lies. */
export const demoFolder = path.join(import.meta.dirname, '../../config/demo');

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

/** What config/demo holds. */
export interface Demo {
  /** By uid. */
  readonly models: ReadonlyMap<string, Model>;
  /** In the order in which they are loaded. */
  readonly files: readonly DemoFile[];
  readonly pictures: readonly DemoPicture[];
}

export async function loadDemo(): Promise<Demo> {
  // The shape of both is what the tests check.
  const models = (await readFolder('models')).map(({ content }) => content as Model);
  const files = (await readFolder('entries')).map(({ name, content }) => ({ ...(content as DemoFile), name }));
  const pictures = JSON.parse(await readFile(path.join(demoFolder, 'files.json'), 'utf8')) as DemoPicture[];
  return { models: new Map(models.map((model) => [model.uid, model])), files, pictures };
}

async function readFolder(folder: string): Promise<{ name: string; content: unknown }[]> {
  const directory = path.join(demoFolder, folder);
  const names = (await readdir(directory)).sort();
  return Promise.all(
    names.map(async (name) => ({ name, content: JSON.parse(await readFile(path.join(directory, name), 'utf8')) as unknown })),
  );
}
