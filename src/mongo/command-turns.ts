import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';

/** Commands of one request that may run at once. The connection pool is there for all requests. */
const atOnce = 4;

interface Running {
  readonly command: Document;
  readonly reply: Promise<unknown>;
}

/** Takes the read commands of one request in turn, and runs those that are the same at the same time once. */
export class CommandTurns {
  readonly #running = new Set<Running>();
  readonly #waiting: (() => void)[] = [];
  #count = 0;

  /** `run` sends the command. Another one that is the same and has not been answered yet shares the reply. */
  run<Reply>(command: Document, run: () => Promise<Reply>): Promise<Reply> {
    for (const { command: other, reply } of this.#running) if (isSame(command, other)) return reply as Promise<Reply>; // of the same command
    const reply = this.#inTurn(run);
    const running = { command, reply };
    this.#running.add(running);
    const forget = (): void => {
      this.#running.delete(running);
    };
    reply.then(forget, forget);
    return reply;
  }

  async #inTurn<Reply>(run: () => Promise<Reply>): Promise<Reply> {
    if (this.#count >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#count++;
    try {
      return await run();
    } finally {
      // The turn is handed on, so that the count stays the same.
      const next = this.#waiting.shift();
      if (next === undefined) this.#count--;
      else next();
    }
  }
}

/** The first key of a command is its name, and the value the collection; most commands differ there. */
function isSame(one: Document, other: Document): boolean {
  const [name = ''] = Object.keys(one);
  return one[name] === other[name] && isDeepStrictEqual(one, other);
}
