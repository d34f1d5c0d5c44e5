import type { Document } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { type Sender, Queue } from '#base/limits/queue.js';
import { bytesOf } from '#base/values.js';

/** Maximum number of concurrent commands of one request, because all requests share the connection pool. */
const atOnce = 4;

interface RunningCommand {
  readonly command: Document;
  readonly reply: Promise<unknown>;
}

/** The queue of the read commands of one request. Equal concurrent commands are sent once. */
export class CommandTurns {
  readonly #running = new Set<RunningCommand>();
  readonly #turns = new Queue({ atOnce });

  /** Calls `run` to send a command, or shares the reply of an equal command that is under way. */
  run<Reply>(command: Document, run: () => Promise<Reply>): Promise<Reply> {
    for (const { command: other, reply } of this.#running) if (isSame(command, other)) return reply as Promise<Reply>; // of the same command
    const reply = this.#turns.run(run);
    const running = { command, reply };
    this.#running.add(running);
    const forget = (): void => {
      this.#running.delete(running);
    };
    reply.then(forget, forget);
    return reply;
  }
}

/**
 * Returns whether two commands are equal. First compares the first key, which is the name, and its value, the collection, because
 * most commands differ there.
 */
function isSame(one: Document, other: Document): boolean {
  const [name = ''] = Object.keys(one);
  return one[name] === other[name] && isDeepStrictEqual(one, other);
}

/** Target size of a reply in bytes, which is decoded within some milliseconds. */
const usualBytes = 524_288;

/** Minimum number of documents in a reply, so that a page of usual size is one reply, however large its documents are. */
const fewest = 100;
const max = 1_000;

/** Assumed size in bytes of the documents of a collection that was not read yet. */
const guess = 2_048;

/** The sizes of replies, and the queue of further replies, for all requests. */
export class Replies {
  readonly #turns: Queue;
  /** Size in bytes of documents that were read recently, by collection. */
  readonly #documentBytes = new Map<string, number>();
  /** Number of further updates that use a projection, by collection, after a document with a long list was seen. */
  readonly #projected = new Map<string, number>();

  constructor(turns: Queue) {
    this.#turns = turns;
  }

  /**
   * Returns the number of documents for the next reply from a collection: fewer if they are large, so that many concurrent
   * replies do not take much memory.
   */
  batchSize(collection: string): number {
    const bytes = this.#documentBytes.get(collection) ?? guess;
    return Math.max(fewest, Math.min(Math.round(usualBytes / bytes), max));
  }

  /**
   * Returns the approximate size in bytes of the documents of a reply, and records it for the collection, if that is not null.
   */
  measure(collection: string | null, documents: readonly Document[]): number {
    const bytes = sizeOf(documents);
    if (collection === null || documents.length < fewest) return bytes;
    const before = this.#documentBytes.get(collection) ?? 0;
    this.#documentBytes.set(collection, Math.max(bytes / documents.length, before * fading));
    return bytes;
  }

  /**
   * Returns whether an update should return the whole document instead of a projection, because recent documents had only short
   * lists.
   */
  takesWhole(collection: string): boolean {
    const left = this.#projected.get(collection) ?? 0;
    if (left > 1) this.#projected.set(collection, left - 1);
    else this.#projected.delete(collection);
    return left === 0;
  }

  /** Records whether a whole document has a long list. */
  noteWhole(collection: string, document: Document): void {
    const isLong = Object.values(document).some((value) => Array.isArray(value) && value.length > longList);
    if (isLong) this.#projected.set(collection, wary);
  }

  /** Reads the further replies to a command when it is the request's turn. */
  inTurn<Reply>(read: () => Promise<Reply>, sender: Sender): Promise<Reply> {
    return this.#turns.run(read, sender);
  }
}

/** Length from which decoding a list with its ranks takes longer than a projection by the server. */
const longList = 300;

/** Number of updates of a collection that use a projection after a document with a long list. */
const wary = 1_000;

/** Factor by which the recorded document size decreases with each reply, so that large documents are expected for some time. */
const fading = 0.98;

/** Estimates the bytes of documents from a sample. Measuring a whole reply would take as long as decoding it. */
function sizeOf(documents: readonly Document[]): number {
  const { length } = documents;
  const stride = Math.ceil(length / (16 + length / 50));
  let [bytes, measured] = [0, 0];
  for (let index = 0; index < length; index += stride, measured += 1) bytes += bytesOf(documents[index]);
  return measured === 0 ? 0 : (bytes / measured) * length;
}
