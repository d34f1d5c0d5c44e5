import type { Document } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { Queue } from '../queue.js';

/** Commands of one request that may run at once. The connection pool is there for all requests. */
const atOnce = 4;

interface Running {
  readonly command: Document;
  readonly reply: Promise<unknown>;
}

/** Takes the read commands of one request in turn, and runs those that are the same at the same time once. */
export class CommandTurns {
  readonly #running = new Set<Running>();
  readonly #turns = new Queue(turnBounds);

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

const turnBounds = { atOnce };

/** The first key of a command is its name, and the value the collection; most commands differ there. */
function isSame(one: Document, other: Document): boolean {
  const [name = ''] = Object.keys(one);
  return one[name] === other[name] && isDeepStrictEqual(one, other);
}
