import { callEngine, type EngineAddress, EngineRefusal, nullIfNotFound } from './call-engine.js';
import { type EngineDocument, type EngineIndex, type EngineSearch, type SearchEngine, textField } from './engine.js';

/** Maximum number of ids in one page of a search, by default. */
const pageSize = 250;

interface Page {
  readonly found?: number;
  readonly hits?: readonly { readonly document: { readonly id: string } }[];
  readonly code?: number;
  readonly error?: string;
}

interface ImportLine {
  readonly success: boolean;
  readonly error?: string;
  /** The status that a refusal would have as an answer. */
  readonly code?: number;
}

/** Typesense, by its HTTP API (version 0.25 or newer). */
export class Typesense implements SearchEngine {
  readonly name = 'typesense';
  readonly isFed = true;
  readonly #address: EngineAddress;

  constructor({ url, key }: { readonly url: string; readonly key: string | null }) {
    this.#address = { url, headers: key === null ? {} : { 'X-TYPESENSE-API-KEY': key } };
  }

  /** Reads the first page, and then all others by one request. A request has at most 50 of them, so that it finds up to 12,750 ids. */
  async search(index: EngineIndex, search: EngineSearch, signal: AbortSignal): Promise<readonly number[]> {
    const [first] = await this.#pages(index, search, [1], signal);
    const pages = Math.ceil(Math.min(first?.found ?? 0, search.limit) / pageSize);
    const numbers = Array.from({ length: Math.max(pages - 1, 0) }, (_, number) => number + 2);
    const others = numbers.length === 0 ? [] : await this.#pages(index, search, numbers, signal);
    const ids = [first, ...others].flatMap((page) => (page?.hits ?? []).map(({ document }) => Number(document.id)));
    return [...new Set(ids)].slice(0, search.limit);
  }

  async #pages(
    { name }: EngineIndex,
    search: EngineSearch,
    numbers: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly Page[]> {
    const searches = numbers.map((page) => ({ collection: name, ...parametersOf(search), page, per_page: pageSize }));
    const answer = await callEngine(this.#address, { method: 'POST', path: '/multi_search', body: { searches }, signal });
    const { results } = JSON.parse(answer) as { readonly results: readonly Page[] };
    const failed = results.find(({ error }) => error !== undefined);
    if (failed !== undefined) throw new EngineRefusal(failed.code ?? 500, `POST /multi_search: ${failed.error ?? ''}`);
    return results;
  }

  async create({ name, attributes }: EngineIndex, signal: AbortSignal): Promise<void> {
    const texts = attributes.map((attribute) => ({ name: textField(attribute), type: 'string', optional: true }));
    const fields = [{ name: 'published', type: 'bool' }, { name: 'locale', type: 'string', optional: true }, ...texts];
    await this.#unless(409, { method: 'POST', path: '/collections', body: { name, fields }, signal });
  }

  isReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async isThere({ name }: EngineIndex, signal: AbortSignal): Promise<boolean> {
    return (await nullIfNotFound(callEngine(this.#address, { method: 'GET', path: `/collections/${name}`, signal }))) !== null;
  }

  /** The engine answers 200 also if it refuses documents, and says so for each one. */
  async put({ name }: EngineIndex, documents: readonly EngineDocument[], signal: AbortSignal): Promise<void> {
    const body = documents.map((one) => JSON.stringify(storedForm(one))).join('\n');
    const path = `/collections/${name}/documents/import?action=upsert`;
    const answer = await callEngine(this.#address, { method: 'POST', path, body, signal });
    const lines = answer.split('\n').filter((line) => line.trim() !== '');
    const results = lines.map((line) => JSON.parse(line) as ImportLine);
    const refused = results.find(({ success }) => !success);
    if (refused !== undefined) throw new EngineRefusal(refused.code ?? 500, `POST ${path}: ${refused.error ?? ''}`);
    if (results.length !== documents.length) throw new Error(`POST ${path}: not all documents were answered`);
  }

  async remove({ name }: EngineIndex, ids: readonly number[], signal: AbortSignal): Promise<void> {
    const filter = encodeURIComponent(`id:[${ids.join(',')}]`);
    await callEngine(this.#address, { method: 'DELETE', path: `/collections/${name}/documents?filter_by=${filter}`, signal });
  }

  async drop({ name }: EngineIndex, signal: AbortSignal): Promise<void> {
    await this.#unless(404, { method: 'DELETE', path: `/collections/${name}`, signal });
  }

  async version(signal: AbortSignal): Promise<string> {
    const answer = await callEngine(this.#address, { method: 'GET', path: '/debug', signal });
    return (JSON.parse(answer) as { readonly version: string }).version;
  }

  /** Sends a request, whose refusal with a status says that its work is done. */
  async #unless(status: number, request: Parameters<typeof callEngine>[1]): Promise<void> {
    await callEngine(this.#address, request).catch((error: unknown) => {
      if (!(error instanceof EngineRefusal) || error.status !== status) throw error;
    });
  }
}

/** The search is exhaustive, so that what matches does not depend on how many other entries match better. */
const parametersOf = (search: EngineSearch): object => ({
  q: search.text,
  query_by: search.attributes.map(textField).join(','),
  filter_by: filtersOf(search).join(' && '),
  include_fields: 'id',
  highlight_fields: 'none',
  exhaustive_search: true,
});

const filtersOf = ({ locales, isLive }: EngineSearch): readonly string[] => [
  ...(isLive ? ['published:=true'] : []),
  ...(locales === null ? [] : [`locale:=[${locales.map((code) => `\`${code.replaceAll('`', '')}\``).join(',')}]`]),
];

const storedForm = ({ id, isPublished: published, locale, texts }: EngineDocument): object => ({
  id: String(id),
  published,
  ...(locale !== null && { locale }),
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [textField(name), text])),
});
