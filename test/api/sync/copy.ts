import type { Answer } from '../../support/serve.js';

/** The values of an entry, by attribute. */
type Held = Readonly<Record<string, unknown>>;

/** A client that keeps a copy of entries, and begins anew after a reset. */
export class Copy {
  readonly entries = new Map<number, Held>();
  token: string | null = null;
  resets = 0;
  /** Whether the last answer said that there is no more to read. */
  isCurrent = false;
  /** Answers that were received. */
  steps = 0;
  readonly #url: () => string;
  readonly #headers: () => Readonly<Record<string, string>>;

  /** `url` is that of the first load, with its query. */
  constructor(url: () => string, headers: () => Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  /** Sends one request. Returns its status, and whether there is more to read. */
  async step(wait?: number, signal?: AbortSignal): Promise<{ readonly status: number; readonly more: boolean }> {
    const url = new URL(this.#url());
    if (this.token !== null) url.searchParams.set('token', this.token);
    if (wait !== undefined) url.searchParams.set('wait', String(wait));
    const response = await fetch(url, { headers: this.#headers(), ...(signal && { signal }) });
    const { status } = response;
    const body = (await response.json()) as Answer['body']; // of any form
    this.steps += 1;
    if (status === 410 || status === 403) this.#clear();
    if (status !== 200) return { status, more: status === 410 };
    for (const { op, id, attributes } of body.data)
      if (op === 'upsert') this.entries.set(id, attributes);
      else this.entries.delete(id);
    this.token = body.meta.sync.token;
    this.isCurrent = body.meta.sync.more !== true;
    return { status, more: body.meta.sync.more };
  }

  /** Sends requests until the copy is up to date. Returns the last status. */
  async pull(): Promise<number> {
    for (;;) {
      const { status, more } = await this.step();
      if (!more) return status;
    }
  }

  #clear(): void {
    this.entries.clear();
    this.token = null;
    this.resets += 1;
  }
}
