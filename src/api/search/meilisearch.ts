import { waited } from '#base/limits/timers.js';
import { callEngine, type EngineAddress, EngineRefusal, nullIfNotFound } from './call-engine.js';
import { type EngineDocument, type EngineIndex, type EngineSearch, type SearchEngine, textField } from './engine.js';

/** Milliseconds between two looks at a task. */
const pace = 50;

interface Task {
  readonly status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled';
  readonly error: { readonly code: string; readonly type: string; readonly message: string } | null;
}

/** Meilisearch, by its HTTP API (version 1.3 or newer, which can search in some attributes only). */
export class Meilisearch implements SearchEngine {
  readonly name = 'meilisearch';
  readonly isFed = true;
  readonly #address: EngineAddress;
  readonly #limit: number;

  /** `limit` is the maximum number of ids of a search. */
  constructor({ url, key }: { readonly url: string; readonly key: string | null }, limit: number) {
    this.#address = { url, headers: key === null ? {} : { Authorization: `Bearer ${key}` } };
    this.#limit = limit;
  }

  async search({ name }: EngineIndex, search: EngineSearch, signal: AbortSignal): Promise<readonly number[]> {
    const { text: q, attributes, limit } = search;
    const only = { attributesToRetrieve: ['id'], attributesToSearchOn: attributes.map(textField) };
    const body = { q, limit, ...only, filter: filtersOf(search), matchingStrategy: 'last' };
    const answer = await callEngine(this.#address, { method: 'POST', path: `/indexes/${name}/search`, body, signal });
    return (JSON.parse(answer) as { readonly hits: readonly { readonly id: number }[] }).hits.map(({ id }) => Number(id));
  }

  async create({ name, attributes }: EngineIndex, signal: AbortSignal): Promise<void> {
    await this.#run('POST', '/indexes', { uid: name, primaryKey: 'id' }, signal, 'index_already_exists');
    const settings = {
      searchableAttributes: attributes.map(textField),
      displayedAttributes: ['id'],
      filterableAttributes: ['published', 'locale'],
      pagination: { maxTotalHits: this.#limit },
    };
    await this.#run('PATCH', `/indexes/${name}/settings`, settings, signal);
  }

  isReady(): Promise<boolean> {
    return Promise.resolve(true); // its tasks have ended
  }

  async isThere({ name }: EngineIndex, signal: AbortSignal): Promise<boolean> {
    const path = `/indexes/${name}/settings/filterable-attributes`;
    const answer = await nullIfNotFound(callEngine(this.#address, { method: 'GET', path, signal }));
    return answer !== null && (JSON.parse(answer) as readonly unknown[]).includes('published');
  }

  put({ name }: EngineIndex, documents: readonly EngineDocument[], signal: AbortSignal): Promise<void> {
    return this.#run('POST', `/indexes/${name}/documents?primaryKey=id`, documents.map(storedForm), signal);
  }

  remove({ name }: EngineIndex, ids: readonly number[], signal: AbortSignal): Promise<void> {
    return this.#run('POST', `/indexes/${name}/documents/delete-batch`, ids, signal);
  }

  drop({ name }: EngineIndex, signal: AbortSignal): Promise<void> {
    return this.#run('DELETE', `/indexes/${name}`, undefined, signal, 'index_not_found');
  }

  async version(signal: AbortSignal): Promise<string> {
    const answer = await callEngine(this.#address, { method: 'GET', path: '/version', signal });
    return (JSON.parse(answer) as { readonly pkgVersion: string }).pkgVersion;
  }

  /** Sends a write, which is a task, and waits for its end. An error with the code `fine` is none. */
  async #run(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    signal: AbortSignal,
    fine?: string,
  ): Promise<void> {
    const sent = await callEngine(this.#address, { method, path, body, signal }).catch((error: unknown) => {
      if (fine !== undefined && error instanceof EngineRefusal && error.message.includes(fine)) return null;
      throw error;
    });
    if (sent === null) return;
    const { taskUid } = JSON.parse(sent) as { readonly taskUid: number };
    for (;;) {
      const read = { method: 'GET', path: `/tasks/${String(taskUid)}`, signal } as const;
      const { status, error } = JSON.parse(await callEngine(this.#address, read)) as Task;
      if (status === 'succeeded' || (status === 'failed' && error?.code === fine)) return;
      if (status === 'failed' || status === 'canceled') throw failureOf(`${method} ${path}: ${error?.message ?? status}`, error);
      await waited(pace, signal);
      signal.throwIfAborted();
    }
  }
}

/** Returns the error of a task. Refusals have the status that they would have as answers. */
const failureOf = (message: string, error: Task['error']): Error =>
  error?.type === 'invalid_request'
    ? new EngineRefusal(error.code === 'index_not_found' ? 404 : 400, message)
    : new Error(message);

/** An index without settings, which the engine has created by itself, refuses each filter. So there is always one. */
const filtersOf = ({ locales, isLive }: EngineSearch): readonly string[] => [
  isLive ? 'published = true' : 'published EXISTS',
  ...(locales === null ? [] : [`locale IN [${locales.map((code) => JSON.stringify(code)).join(', ')}]`]),
];

const storedForm = ({ id, isPublished: published, locale, texts }: EngineDocument): object => ({
  id,
  published,
  locale,
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [textField(name), text])),
});
