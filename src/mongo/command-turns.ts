import type { Document } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { type Sender, Queue } from '../queue.js';
import { bytesOf } from '../values.js';

/** Commands of one request that may run at once. The connection pool is there for all requests. */
const atOnce = 4;

interface RunningCommand {
  readonly command: Document;
  readonly reply: Promise<unknown>;
}

/** Takes the read commands of one request in turn, and runs those that are the same at the same time once. */
export class CommandTurns {
  readonly #running = new Set<RunningCommand>();
  readonly #turns = new Queue({ atOnce });

  /** `run` sends the command. Another one that is the same and has not been answered yet shares the reply. */
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

/** The first key of a command is its name, and the value the collection; most commands differ there. */
function isSame(one: Document, other: Document): boolean {
  const [name = ''] = Object.keys(one);
  return one[name] === other[name] && isDeepStrictEqual(one, other);
}

/** Bytes of a reply of usual documents: they are decoded within some milliseconds. */
const usualBytes = 524_288;

/** Documents of a reply. Pages of the usual size are one reply, however large the documents are. */
const fewest = 100;
const max = 1_000;

/** Bytes of a document of a collection that nothing was read from yet. */
const guess = 2_048;

/** What replies to the commands of all requests have in common: how large they are, and their turns. */
export class Replies {
  readonly #turns: Queue;
  /** Bytes of the documents that were read last, by collection. */
  readonly #documentBytes = new Map<string, number>();
  /** How many more updates use a projection, by collection, since a document with a long list was seen. */
  readonly #projected = new Map<string, number>();

  constructor(turns: Queue) {
    this.#turns = turns;
  }

  /** Documents that the next reply from a collection should have: fewer if they are large, so that many replies at once are not much. */
  batchSize(collection: string): number {
    const bytes = this.#documentBytes.get(collection) ?? guess;
    return Math.max(fewest, Math.min(Math.round(usualBytes / bytes), max));
  }

  /** Returns about how many bytes the documents of a reply take, and notes how large those of the collection are, if it is not null. */
  measure(collection: string | null, documents: readonly Document[]): number {
    const bytes = sizeOf(documents);
    if (collection === null || documents.length < fewest) return bytes;
    const before = this.#documentBytes.get(collection) ?? 0;
    this.#documentBytes.set(collection, Math.max(bytes / documents.length, before * fading));
    return bytes;
  }

  /** Whether an update returns a whole document, and not what a projection leaves of it: the lists seen lately were short. */
  takesWhole(collection: string): boolean {
    const left = this.#projected.get(collection) ?? 0;
    if (left > 1) this.#projected.set(collection, left - 1);
    else this.#projected.delete(collection);
    return left === 0;
  }

  /** Notes whether a whole document has a long list. */
  noteWhole(collection: string, document: Document): void {
    const isLong = Object.values(document).some((value) => Array.isArray(value) && value.length > longList);
    if (isLong) this.#projected.set(collection, wary);
  }

  /** Reads the further replies to a command in turn with other requests. */
  inTurn<Reply>(read: () => Promise<Reply>, sender: Sender): Promise<Reply> {
    return this.#turns.run(read, sender);
  }
}

/** Items of a list that take longer to decode, with their ranks, than a projection takes the server. */
const longList = 300;

/** Updates of a collection that use a projection after a document with a long list. */
const wary = 1_000;

/** Large documents are expected again for some time. */
const fading = 0.98;

/** Estimates the bytes of documents from a sample. Measuring a whole reply would take as long as decoding it. */
function sizeOf(documents: readonly Document[]): number {
  const { length } = documents;
  const stride = Math.ceil(length / (16 + length / 50));
  let [bytes, measured] = [0, 0];
  for (let index = 0; index < length; index += stride, measured += 1) bytes += bytesOf(documents[index]);
  return measured === 0 ? 0 : (bytes / measured) * length;
}
