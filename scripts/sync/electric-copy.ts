import { FetchError, Shape, ShapeStream, type ShapeStreamInterface } from '@electric-sql/client';
import { type Access, again, fetchFor, type Following, type Held } from './clients.js';

const none: Held = { entries: new Map(), seq: null };

/** A copy by the client of Electric. It begins anew if the caller lacks the right. */
export class ElectricCopy implements Following {
  readonly #access: Access;
  readonly #isStream: boolean;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #held = none;

  constructor(access: Access, isStream: boolean) {
    this.#access = access;
    this.#isStream = isStream;
    this.#start();
  }

  readonly held = (): Held => this.#held;

  readonly stop = (): Promise<void> => {
    this.#stop();
    clearTimeout(this.#timer);
    return Promise.resolve();
  };

  #start(): void {
    const leaving = new AbortController();
    this.#stop = () => {
      leaving.abort();
      this.#held = none;
    };
    const [name = '', query = ''] = this.#access.shape.split('?');
    const stream = new ShapeStream({
      url: `http://service/api/shapes/${name}`,
      params: Object.fromEntries(new URLSearchParams(query)) as Record<never, string>, // without the parameters of the protocol
      fetchClient: fetchFor(this.#access),
      liveSse: this.#isStream,
      signal: leaving.signal,
      backoffOptions: { initialDelay: again, maxDelay: 500, multiplier: 1.5 },
      onError: (error) => {
        if (error instanceof FetchError && error.status === 401) return {};
        if (!leaving.signal.aborted) this.#startAgain();
        return undefined;
      },
    });
    const shape = new Shape(stream as ShapeStreamInterface);
    shape.subscribe(({ rows }) => {
      if (leaving.signal.aborted) return;
      const entries = new Map(rows.map(({ id, ...attributes }) => [Number(id), attributes]));
      this.#held = { entries, seq: Number(BigInt(stream.lastOffset.split('_')[0] ?? '0') / 2n ** 30n) };
    });
  }

  #startAgain(): void {
    this.#stop();
    this.#timer = setTimeout(() => {
      this.#start();
    }, 4 * again);
  }
}
