import { EngineRefusal } from './call-engine.js';
import type { EngineDocument, EngineIndex } from './engine.js';
import { sendTo, type Step } from './feed-step.js';

/** Maximum number of bytes of the texts that are sent at once. A larger document is sent alone. */
const mostBytes = 4_000_000;

/** Statuses of a request whose documents are refused: they are wrong, or too large. */
const refusals: readonly number[] = [400, 413];

/** Stores documents in an index. Those that the engine refuses are left out, and removed from the index, which the log says. */
export async function sendDocuments(documents: readonly EngineDocument[], index: EngineIndex, step: Step): Promise<void> {
  for (const batch of batchesOf(documents)) {
    const refused = await sendBatch(batch, index, step);
    const [first] = refused;
    if (first === undefined) continue;
    const ids = refused.map(({ id }) => id);
    await sendTo(step, (engine, ends) => engine.remove(index, ids, ends));
    const text = `${step.engine.name} refuses entries of ${index.collection}, which it does not find: ${ids.join(', ')} (${first.reason})`;
    step.running.backend.jobs.observer.observe({ kind: 'warned', topic: 'database', text });
  }
}

function batchesOf(documents: readonly EngineDocument[]): EngineDocument[][] {
  const batches: EngineDocument[][] = [];
  let left = 0;
  for (const one of documents) {
    const bytes = Object.values(one.texts).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > left || batches.length === 0) {
      batches.push([]);
      left = mostBytes;
    }
    batches.at(-1)?.push(one);
    left -= bytes;
  }
  return batches;
}

interface Refused {
  readonly id: number;
  readonly reason: string;
}

/** Sends documents, and halves of them if they are refused. Returns those that are refused alone. */
async function sendBatch(batch: readonly EngineDocument[], index: EngineIndex, step: Step): Promise<readonly Refused[]> {
  try {
    await sendTo(step, (engine, ends) => engine.put(index, batch, ends));
    return [];
  } catch (error) {
    if (!(error instanceof EngineRefusal) || !refusals.includes(error.status)) throw error;
    if (batch.length <= 1) return batch.map(({ id }) => ({ id, reason: error.message }));
    const half = Math.ceil(batch.length / 2);
    const refused = await sendBatch(batch.slice(0, half), index, step);
    return [...refused, ...(await sendBatch(batch.slice(half), index, step))];
  }
}
