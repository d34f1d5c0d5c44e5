import { FetchError, Shape, ShapeStream, type ShapeStreamInterface } from '@electric-sql/client';
import { type Access, again, fetchFor, type Following, type Held } from './access.js';

const none: Held = { entries: new Map(), seq: null, isCurrent: true };

/** The client gives up after 50 errors. */
const mostRefusals = 20;

/** A copy by the client of Electric. It begins anew if the caller lacks the right. */
export class ElectricCopy implements Following {
  readonly #access: Access;
  readonly #isStream: boolean;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #held = none;
  #refusals = 0;

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
        const isRefused = error instanceof FetchError && error.status === 401;
        if (isRefused && (this.#refusals += 1) % mostRefusals !== 0) return {};
        if (!leaving.signal.aborted) this.#startAgain();
        return undefined;
      },
    });
    const shape = new Shape(stream as ShapeStreamInterface);
    shape.subscribe(({ rows }) => {
      if (leaving.signal.aborted) return;
      const entries = new Map(rows.map(({ id, ...attributes }) => [Number(id), attributes]));
      const seq = Number(BigInt(stream.lastOffset.split('_')[0] ?? '0') / 2n ** 30n);
      this.#held = { entries, seq, isCurrent: true }; // it tells of rows when it is up to date
    });
  }

  #startAgain(): void {
    this.#stop();
    this.#timer = setTimeout(() => {
      this.#start();
    }, 4 * again);
  }
}
