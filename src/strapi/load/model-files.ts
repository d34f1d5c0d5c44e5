import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ModelFiles } from '#http/running.js';
import type { Model } from '#model/schema/model.js';
import { writeRouter } from './router-file.js';

/** A model as stored in a file or in `_models`. */
export type ModelDocument = { readonly uid: string } & Readonly<Record<string, unknown>>;

/** Writes a model as Strapi does, without the uid, which its path implies. */
export async function writeModelFile(document: ModelDocument, file: string): Promise<void> {
  const schema = Object.fromEntries(Object.entries(document).filter(([key]) => key !== 'uid'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`);
}

/** Returns the path of a model in a Strapi project. It is in src, unless the directory itself is a src folder. */
export function modelPath(uid: string, directory: string): string {
  const root = resolve(directory);
  const isSource =
    basename(root) === 'src' ||
    ((existsSync(join(root, 'api')) || existsSync(join(root, 'components'))) && !existsSync(join(root, 'src')));
  return join(isSource ? root : join(root, 'src'), placeBelowSource(uid));
}

function placeBelowSource(uid: string): string {
  const [origin = '', rest] = uid.split('::');
  if (rest === undefined) return join('components', `${origin.replace('.', '/')}.json`);
  const [owner = '', name = ''] = rest.split('.');
  return join(origin === 'api' ? 'api' : 'extensions', owner, 'content-types', name, 'schema.json');
}

/** Returns functions that write and delete the files of the models of a project. A new type gets a router too. */
export const projectModelFiles = (directory: string): ModelFiles => ({
  write: async (models: readonly Model[]) => {
    for (const model of models) {
      const file = modelPath(model.uid, directory);
      const isNew = !existsSync(file);
      await writeModelFile({ ...model }, file);
      if (isNew) await writeRouter(model.uid, file);
    }
  },
  remove: async (uids) => {
    for (const uid of uids) await rm(modelPath(uid, directory), { force: true });
  },
});
