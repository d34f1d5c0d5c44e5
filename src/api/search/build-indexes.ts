import { randomBytes } from 'node:crypto';
import { mostEntries, sendTo, type Step } from './feed-step.js';
import { type BuildingIndex, storeIndex, type StoredIndex } from './index-rows.js';
import { readFrom } from './read-entries.js';
import { sendDocuments } from './send-documents.js';
import { documentOf, indexOf, type SearchedType } from './searched-types.js';

/**
 * Takes the next step of building an index, if one is needed: for a new type, after a change of its texts, or because it was asked for.
 * Changes are sent to it from its creation on, so that it misses none while it is filled. Returns false if there is nothing to do.
 */
export async function buildIndexes(step: Step): Promise<boolean> {
  for (const [collection, searched] of step.types) {
    const row = step.indexState.indexes.get(collection);
    const { index = null, building = null, unused = [], isWanted = false } = row ?? {};
    if (building !== null && row !== undefined) {
      if (building.form === searched.form) return continueBuild(row, building, searched, step);
      await storeIndex(step.database, row, { building: null, unused: [...unused, building.name] });
      return true;
    }
    if (index?.form === searched.form && !isWanted) continue;
    const name = `${step.settings.prefix}_${nameOf(collection)}_${randomBytes(4).toString('hex')}`;
    const begun = { name, form: searched.form, after: null, begun: new Date() };
    await storeIndex(step.database, row ?? collection, { building: begun, isWanted: false });
    return true;
  }
  return false;
}

/** Returns the name of a collection as engines take it. */
const nameOf = (collection: string): string => collection.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100);

/** Creates an index, sends the next entries to it, or puts it in the place of the one in use. Returns false if the engine is not ready. */
async function continueBuild(row: StoredIndex, building: BuildingIndex, searched: SearchedType, step: Step): Promise<boolean> {
  const { name, form, after } = building;
  const index = indexOf(searched, name);
  const move = (to: number): Promise<void> => storeIndex(step.database, row, { building: { ...building, after: to } });
  if (after === null) {
    await sendTo(step, (engine, ends) => engine.create(index, ends));
    await move(0);
    return true;
  }
  const entries = step.engine.isFed ? await readFrom(after, mostEntries, searched, step) : [];
  const documents = entries.map((entry) => documentOf(entry, searched));
  await sendDocuments(documents, index, step);
  if (documents.length === mostEntries) {
    await move(documents.at(-1)?.id ?? after);
    return true;
  }
  if (!(await sendTo(step, (engine, ends) => engine.isReady(index, ends)))) return false;
  const unused = row.index === null ? row.unused : [...row.unused, row.index.name];
  await storeIndex(step.database, row, { index: { name, form }, building: null, unused });
  return true;
}
