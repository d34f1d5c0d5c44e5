import type { Db } from 'mongodb';
import { unused, type Asker, type Question } from './questions.js';
import { sizes } from './sizes.js';

/** Where the baseline stores keys. */
export const keyCollection = '_bench_keys';

/** The notes that places have been given since they had none, by id. */
const notes = new Map<number, string>();

/** Returns the `n`th change of a note, under a new key. */
function nextNote(n: number, { size }: Asker) {
  const id = 1 + (n % sizes[size]);
  const [from, to] = [notes.get(id) ?? null, unused()];
  notes.set(id, to);
  return { key: `key-of-${to}`, id, note: { from, to } };
}

/** Returns a push of updates that name the values that they replace. */
export function askPush(n: number, asker: Asker, count: number): Question {
  const changes = Array.from({ length: count }, (_, index) => nextNote(n * count + index, asker));
  const writes = changes.map(({ key, id, note }) => ({ key, op: 'update', type: 'places', id, set: { note } }));
  const body = JSON.stringify({ writes });
  return {
    product: { method: 'POST', path: '/api/sync/push', body },
    baseline: { method: 'POST', path: '/push', body },
  };
}

/** Returns a single update with a key. */
export function askKeyedUpdate(n: number, asker: Asker): Question {
  const { key, id, note } = nextNote(n, asker);
  const body = JSON.stringify({ data: { note: note.to } });
  return {
    product: { method: 'PUT', path: `/api/places/${String(id)}`, body, key },
    baseline: { method: 'PUT', path: `/put-key?id=${String(id)}&key=${key}`, body },
  };
}

/** Removes all notes, and the keys of the baseline. */
export async function clearNotes(db: Db): Promise<void> {
  notes.clear();
  await db.collection(keyCollection).deleteMany({});
  await db.collection('places').updateMany({ note: { $exists: true } }, { $unset: { note: 1 } });
}
