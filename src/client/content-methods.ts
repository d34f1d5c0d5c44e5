import type { Call, CallOptions, Requester } from './requester.js';
import { uploadCall, type Uploadable, type UploadOptions } from './upload.js';

type Id = number | string;

interface PagedQuery {
  readonly pagination?: { readonly page?: number; readonly pageSize?: number };
}

/** A page as the API answers it. */
interface AnsweredPage {
  readonly data: readonly unknown[];
  readonly meta: { readonly pagination: { readonly pageSize: number; readonly pageCount?: number } };
}

/** The methods for entries and files, without their types. */
export function contentMethods({ send }: Pick<Requester, 'send'>) {
  const read = (path: string, query?: object, options?: CallOptions) => send({ ...options, method: 'GET', path, query });
  const write = (method: Call['method']) => (path: string, data: unknown, query?: object, options?: CallOptions) =>
    send({ ...options, method, path, query, body: { data } });
  const [post, put] = [write('POST'), write('PUT')];
  const remove = (path: string, query?: object, options?: CallOptions) => send({ ...options, method: 'DELETE', path, query });
  const localize = (path: string, body: object, options?: CallOptions) =>
    send({ ...options, method: 'POST', path: `${path}/localizations`, body });
  const readPage = (name: string, query?: object, options?: CallOptions) => read(at(name), query, options);
  return {
    find: readPage,
    pages: (name: string, query?: PagedQuery, options?: CallOptions) =>
      pagesFrom((pagination) => readPage(name, { ...query, pagination }, options), query?.pagination),
    findOne: (name: string, id: Id, query?: object, options?: CallOptions) => read(at(name, id), query, options),
    create: (name: string, data: unknown, query?: object, options?: CallOptions) => post(at(name), data, query, options),
    update: (name: string, id: Id, data: unknown, query?: object, options?: CallOptions) =>
      put(at(name, id), data, query, options),
    delete: (name: string, id: Id, options?: CallOptions) => remove(at(name, id), undefined, options),
    localize: (name: string, id: Id, data: object, options?: CallOptions) => localize(at(name, id), data, options),
    findSingle: readPage,
    updateSingle: (name: string, data: unknown, query?: object, options?: CallOptions) => put(at(name), data, query, options),
    deleteSingle: (name: string, query?: object, options?: CallOptions) => remove(at(name), query, options),
    localizeSingle: (name: string, data: object, options?: CallOptions) => localize(at(name), data, options),
    upload: (files: readonly Uploadable[], options: UploadOptions = {}) => send(uploadCall(files, options)),
    request: send,
  };
}

const at = (...parts: readonly Id[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('');

async function* pagesFrom(
  readPage: (pagination: object) => Promise<unknown>,
  pagination: PagedQuery['pagination'],
): AsyncGenerator<AnsweredPage, void, void> {
  for (let page = pagination?.page ?? 1; ; page++) {
    const answer = (await readPage({ ...pagination, page })) as AnsweredPage; // of a list
    yield answer;
    const { pageSize, pageCount = Infinity } = answer.meta.pagination;
    if (answer.data.length < pageSize || page >= pageCount) return;
  }
}
