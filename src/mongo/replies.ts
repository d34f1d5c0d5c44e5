import type { Document } from 'mongodb';
import type { Queue } from '../queue.js';
import { nextTurn, type Asker } from '../queue.js';
import { bytesOf } from '../values.js';

/** Bytes of a reply of usual documents: they are decoded within some milliseconds. */
const usualBytes = 524_288;

/** Documents of a reply. Pages of the usual size are one reply, however large the documents are. */
const fewest = 100;
const most = 1_000;

/** Bytes of a document of a collection that nothing was read from yet. */
const guess = 2_048;

/** What replies to the commands of all requests have in common: how large they are, and their turns. */
export class Replies {
  readonly #turns: Queue;
  /** Bytes of the documents that were read last, by collection. */
  readonly #documentBytes = new Map<string, number>();

  constructor(turns: Queue) {
    this.#turns = turns;
  }

  /** Documents that the next reply from a collection should have: fewer if they are large, so that many replies at once are not much. */
  batchSize(collection: string): number {
    const bytes = this.#documentBytes.get(collection) ?? guess;
    return Math.max(fewest, Math.min(Math.round(usualBytes / bytes), most));
  }

  /** Returns about how many bytes the documents of a reply take, and notes how large they are. */
  measure(collection: string, documents: readonly Document[]): number {
    const bytes = sizeOf(documents);
    if (documents.length < fewest) return bytes;
    const before = this.#documentBytes.get(collection) ?? 0;
    this.#documentBytes.set(collection, Math.max(bytes / documents.length, before * fading));
    return bytes;
  }

  /** Reads a further reply in turn with those of other requests, and lets others be answered before it is worked on. */
  inTurn<Reply>(read: () => Promise<Reply>, asker: Asker | undefined): Promise<Reply> {
    return this.#turns.run(async () => {
      const reply = await read();
      await nextTurn();
      return reply;
    }, asker);
  }
}

/** Large documents are expected again for some time. */
const fading = 0.98;

/** About how many bytes documents take, told from some of them: to measure all of a reply would take as long as to decode it. */
function sizeOf(documents: readonly Document[]): number {
  const { length } = documents;
  const stride = Math.ceil(length / (16 + length / 50));
  let [bytes, measured] = [0, 0];
  for (let index = 0; index < length; index += stride, measured += 1) bytes += bytesOf(documents[index]);
  return measured === 0 ? 0 : (bytes / measured) * length;
}
