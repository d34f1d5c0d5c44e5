import { mkdir } from 'node:fs/promises';
import { changeOf } from '../mongo/models/preview-models.js';
import { isStoredAs } from '../schema/is-stored-as.js';
import type { Model } from '../schema/model.js';
import { type ModelDocument, modelPath, writeModelFile } from '../strapi/model-files.js';
import { readModelFiles, shownFile } from './model-files.js';
import { readModels } from '../mongo/stores/model-store.js';
import type { OpenedDatabase } from './open-database.js';
import { required } from './usage-error.js';
import { print, printTable } from './print.js';

/** Describes the difference of two models as `+title -name ~author`: added, removed and changed attributes. */
export function describeChange(before: ModelDocument, after: ModelDocument): string {
  const { added, removed, changed } = changeOf(after.uid, before as unknown as Model, after as unknown as Model); // only their attributes are read
  const names = [...added.map((name) => `+${name}`), ...removed.map((name) => `-${name}`), ...changed.map((name) => `~${name}`)];
  return names.length > 0 ? names.join(' ') : 'options or order';
}

/** Prints the differences between models of files and folders and the stored ones. Returns the exit code, 1 if there are any. */
export async function diffModels({ database }: OpenedDatabase, paths: readonly string[]): Promise<number> {
  required(paths[0], 'a file or folder');
  const { models, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map(models.map(({ document }) => [document.uid, document]));
  const rows = [
    ...unreadable.map(({ file, reason }) => ['unreadable', shownFile(file), reason]),
    ...[...documents.values()].flatMap((document) => differenceOf(document, stored)),
    ...stored.filter(({ uid }) => !documents.has(uid)).map(({ uid }) => ['only stored', uid, '']),
  ];
  printTable(rows);
  if (rows.length === 0) print('no differences');
  return rows.length > 0 ? 1 : 0;
}

function differenceOf(document: ModelDocument, stored: readonly ModelDocument[]): string[][] {
  const before = stored.find(({ uid }) => uid === document.uid);
  if (before === undefined) return [['only in files', document.uid, '']];
  return isStoredAs(document, stored) ? [] : [['differs', document.uid, describeChange(before, document)]];
}

/**
 * Writes the stored models into the folder of a Strapi project. Existing files of changed models are overwritten. Files of models
 * that are not stored are kept. Returns the exit code.
 */
export async function pullModels({ database }: OpenedDatabase, [word]: readonly string[]): Promise<number> {
  const directory = required(word, 'a folder');
  await mkdir(directory, { recursive: true });
  const { models } = await readModelFiles([directory]);
  const stored: readonly ModelDocument[] = await readModels(database);
  const rows = await Promise.all(
    stored.map(async (document) => {
      const present = models.find((model) => model.document.uid === document.uid);
      const file = present?.file ?? modelPath(document.uid, directory);
      if (present !== undefined && isStoredAs(present.document, stored)) return ['unchanged', document.uid, shownFile(file)];
      await writeModelFile(document, file);
      return ['written', document.uid, shownFile(file)];
    }),
  );
  const extra = models.filter(({ document }) => stored.every(({ uid }) => uid !== document.uid));
  printTable([...rows, ...extra.map(({ file, document }) => ['not stored', document.uid, shownFile(file)])]);
  return 0;
}
