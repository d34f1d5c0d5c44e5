import { isDeepStrictEqual } from 'node:util';
import { changeOf } from '../admin/preview-models.js';
import type { Model } from '../schema/model.js';
import type { ModelDocument } from './model-files.js';

/** Whether a model is stored just as it is here, the order of its attributes included, in which answers show them. */
export function isStoredAs(document: ModelDocument, stored: readonly ModelDocument[]): boolean {
  const before = stored.find(({ uid }) => uid === document.uid);
  return isDeepStrictEqual(before, document) && sameOrder(before, document);
}

const sameOrder = (a: ModelDocument | undefined, b: ModelDocument): boolean =>
  isDeepStrictEqual(Object.keys(Object(a?.['attributes'])), Object.keys(Object(b['attributes'])));

/** `+title -name ~author`: attributes that are new, gone, or defined in another way. */
export function describeChange(before: ModelDocument, after: ModelDocument): string {
  const { added, removed, changed } = changeOf(after.uid, before as unknown as Model, after as unknown as Model); // only their attributes are read
  const names = [...added.map((name) => `+${name}`), ...removed.map((name) => `-${name}`), ...changed.map((name) => `~${name}`)];
  return names.length > 0 ? names.join(' ') : 'options or order';
}

/** Prints rows in columns that are as wide as their longest cell; the last one is not filled up. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
