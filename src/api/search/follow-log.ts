import { groupBy } from '#base/values.js';
import { type LogState, type StoredChange, syncLog } from '#store/stores/change-log.js';
import type { EngineIndex } from './engine.js';
import { loseIndexes, mostEntries, sendTo, type Step } from './feed-step.js';
import { storePlace } from './index-rows.js';
import { readByIds } from './read-entries.js';
import { sendDocuments } from './send-documents.js';
import { documentOf, indexOf, type SearchedType } from './searched-types.js';

/** Maximum number of changes that are read at once. */
const mostChanges = 500;

type Place = Pick<LogState, 'seq' | 'mark' | 'epoch'>;

/**
 * Sends what the next changes in the log have changed, and then stores the place after them. If the log does not continue the place, or
 * says that it does not know what has changed, the indexes begin anew.
 */
export async function followLog(step: Step, log: LogState): Promise<'nothing' | 'sent' | 'reset'> {
  const { feed } = step.indexState;
  const changes =
    feed?.epoch === log.epoch ? await syncLog.changesAfter(step.database, feed, { state: log, limit: mostChanges }) : null;
  if (changes === null) return restart(step, null, log);
  const [first] = changes;
  if (first === undefined) return 'nothing';
  if (first.kind === 'reset') return restart(step, first.collection, placeAfter(first, log));
  const end = changes.findIndex(({ kind }) => kind === 'reset');
  const sentChanges = end === -1 ? changes : changes.slice(0, end);
  for (const [collection, own] of groupBy(sentChanges, (change) => change.collection ?? ''))
    await sendChanges(collection, own, step);
  await storePlace(step.database, feed, placeAfter(sentChanges.at(-1) ?? first, log));
  return 'sent';
}

/** Loses the indexes of a collection, or all, and then continues at a place of the log. */
async function restart(step: Step, collection: string | null, place: Place): Promise<'reset'> {
  for (const row of step.indexState.indexes.values())
    if ((collection === null || row._id === collection) && (row.index ?? row.building) !== null) await loseIndexes(row, step);
  await storePlace(step.database, step.indexState.feed, place);
  return 'reset';
}

/** Returns the place in the log after a change. */
const placeAfter = ({ _id: seq, token }: StoredChange, { epoch }: LogState): Place => ({
  seq,
  mark: syncLog.markOf(token),
  epoch,
});

async function sendChanges(collection: string, changes: readonly StoredChange[], step: Step): Promise<void> {
  const searched = step.types.get(collection);
  const { index = null, building = null } = step.indexState.indexes.get(collection) ?? {};
  if (searched === undefined) return;
  const created = building?.after === null ? null : building; // one that is not created yet is filled later
  const targets = [index, created].flatMap((one) => (one?.form === searched.form ? [indexOf(searched, one.name)] : []));
  const fields = new Set([...searched.attributes, 'publishedAt', 'locale']);
  const ids = [...new Set(changes.filter((one) => syncLog.touches(one, fields)).map(({ id }) => Number(id)))];
  if (targets.length === 0) return;
  for (let from = 0; from < ids.length; from += mostEntries)
    await sendEntries(ids.slice(from, from + mostEntries), searched, targets, step);
}

/** Sends entries as they are now to indexes, and removes from them those that are gone. */
async function sendEntries(
  ids: readonly number[],
  searched: SearchedType,
  targets: readonly EngineIndex[],
  step: Step,
): Promise<void> {
  const documents = (await readByIds(ids, searched, step)).map((entry) => documentOf(entry, searched));
  const found = new Set(documents.map(({ id }) => id));
  const gone = ids.filter((id) => !found.has(id));
  for (const index of targets) {
    await sendDocuments(documents, index, step);
    if (gone.length > 0) await sendTo(step, (engine, ends) => engine.remove(index, gone, ends));
  }
}
