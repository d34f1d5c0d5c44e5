import { mkdir } from 'node:fs/promises';
import { readModels } from '../mongo/stores/model-store.js';
import { describeChange, isStoredAs, printTable } from './compare-models.js';
import { placeOf, readModelFiles, shownFile, writeModelFile, type ModelDocument } from './model-files.js';
import type { OpenedDatabase } from './open-database.js';

/** Prints how the models of files and folders differ from those that are stored. The exit code: 1 if they do; null: the arguments are wrong. */
export async function diffModels({ database }: OpenedDatabase, paths: readonly string[]): Promise<number | null> {
  if (paths.length === 0) return null;
  const { models, unreadable } = await readModelFiles(paths);
  const stored = await readModels(database);
  const documents = new Map(models.map(({ document }) => [document.uid, document]));
  const rows = [
    ...unreadable.map(({ file, reason }) => ['unreadable', shownFile(file), reason]),
    ...[...documents.values()].flatMap((document) => differenceOf(document, stored)),
    ...stored.filter(({ uid }) => !documents.has(uid)).map(({ uid }) => ['only stored', uid, '']),
  ];
  printTable(rows);
  if (rows.length === 0) console.log('no differences');
  return rows.length > 0 ? 1 : 0;
}

function differenceOf(document: ModelDocument, stored: readonly ModelDocument[]): string[][] {
  const before = stored.find(({ uid }) => uid === document.uid);
  if (before === undefined) return [['only in files', document.uid, '']];
  return isStoredAs(document, stored) ? [] : [['differs', document.uid, describeChange(before, document)]];
}

/**
 * Writes the stored models into the folder of a Strapi project. A model that is in the folder already is written where it is. Files of models that
 * are not stored stay. The exit code; null: the arguments are wrong.
 */
export async function pullModels({ database }: OpenedDatabase, [directory]: readonly string[]): Promise<number | null> {
  if (directory === undefined) return null;
  await mkdir(directory, { recursive: true });
  const { models } = await readModelFiles([directory]);
  const stored: readonly ModelDocument[] = await readModels(database);
  const rows = await Promise.all(
    stored.map(async (document) => {
      const present = models.find((model) => model.document.uid === document.uid);
      const file = present?.file ?? placeOf(document.uid, directory);
      if (present !== undefined && isStoredAs(present.document, stored)) return ['unchanged', document.uid, shownFile(file)];
      await writeModelFile(document, file);
      return ['written', document.uid, shownFile(file)];
    }),
  );
  const extra = models.filter(({ document }) => stored.every(({ uid }) => uid !== document.uid));
  printTable([...rows, ...extra.map(({ file, document }) => ['not stored', document.uid, shownFile(file)])]);
  return 0;
}
