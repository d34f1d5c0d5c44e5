import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Model } from '../../src/schema/model.js';

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

/** The models (by uid) and the entry files of config/demo, the latter in the order in which they are loaded. */
export async function loadDemo(): Promise<{ models: ReadonlyMap<string, Model>; files: readonly DemoFile[] }> {
  // The shape of both is what the tests check.
  const models = (await readFolder('models')).map(({ content }) => content as Model);
  const files = (await readFolder('entries')).map(({ name, content }) => ({ ...(content as DemoFile), name }));
  return { models: new Map(models.map((model) => [model.uid, model])), files };
}

async function readFolder(folder: string): Promise<{ name: string; content: unknown }[]> {
  const directory = path.join(import.meta.dirname, '../../config/demo', folder);
  const names = (await readdir(directory)).sort();
  return Promise.all(
    names.map(async (name) => ({ name, content: JSON.parse(await readFile(path.join(directory, name), 'utf8')) as unknown })),
  );
}
