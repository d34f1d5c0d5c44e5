import type { BatchOptions, BatchWrite } from './answers.js';
import type { Client } from './client.js';
import type { AnyTypes, Types } from './entry.js';
import { writeQuery } from './query.js';
import { createRequester, type ClientOptions, type CallOptions, type Requester, type Call } from './requester.js';
import type { Session } from './session.js';
import { uploadCall, type Uploadable, type UploadOptions } from './upload.js';

export type { BatchAnswer, BatchOptions, BatchWrite, Count, Grant, Page, Single } from './answers.js';
export type { Client } from './client.js';
export type { ClientSession, LoggedIn } from './client-session.js';
export type { EntryOf, FlatOf, TypeShape, Types } from './entry.js';
export { attempt, isFailure, type Attempt, type Failure, type WrongValue } from './failure.js';
export type { EntryQuery, ListQuery, Populate, Sort } from './query.js';
export type { Call, CallOptions, ClientOptions } from './requester.js';
export type { Session, SessionStore } from './session.js';
export type { Progress } from './transport.js';
export type { FileInfo, Uploadable, UploadOptions } from './upload.js';

/**
 * Creates a client of a service.
 *
 * @example
 * const client = createClient<ContentTypes>({ url: 'https://cms.example.org' });
 * const { data } = await client.find('articles', { populate: { author: true } });
 */
export function createClient<T extends Types<T> = AnyTypes>(options: ClientOptions): Client<T> {
  const requester = createRequester(options);
  const client: unknown = { ...contentMethods(requester), ...accountMethods(requester) };
  return client as Client<T>; // the return types follow from the models only
}

/** Returns the methods for users, without their types. */
function accountMethods({ send, session }: Requester) {
  const post = (path: string, body: object, options?: CallOptions, isOpen = true) =>
    send({ ...options, method: 'POST', path: `/auth${path}`, body, isOpen });
  const begin = async (answered: Promise<unknown>) => {
    const answer = (await answered) as Partial<Session>; // the answer to a login
    const { jwt, refreshToken } = answer;
    if (jwt !== undefined) await session.set({ jwt, ...(refreshToken !== undefined && { refreshToken }) });
    return answer;
  };
  return {
    login: (identifier: string, password: string, options?: CallOptions) =>
      begin(post('/local', { identifier, password }, options)),
    register: (user: object, options?: CallOptions) => begin(post('/local/register', user, options)),
    forgotPassword: async (email: string, options?: CallOptions) => {
      await post('/forgot-password', { email }, options);
    },
    resetPassword: (code: string, password: string, options?: CallOptions) =>
      begin(post('/reset-password', { code, password, passwordConfirmation: password }, options)),
    changePassword: (currentPassword: string, password: string, options?: CallOptions) => {
      const body = { currentPassword, password, passwordConfirmation: password };
      return begin(post('/change-password', body, options, false));
    },
    me: (query?: object, options?: CallOptions) => send({ ...options, method: 'GET', path: '/users/me', query }),
    grants: (options?: CallOptions) => send({ ...options, method: 'GET', path: '/users/me/grants' }),
    endGrant: (id: string, options?: CallOptions) =>
      send({ ...options, method: 'DELETE', path: `/users/me/grants/${encodeURIComponent(id)}` }),
    refresh: async () => session.renew((await session.current())?.jwt),
    session: () => session.current(),
    onSession: (listener: () => void) => session.onChange(listener),
    logout: async (options?: CallOptions) => {
      const { refreshToken } = (await session.current()) ?? {};
      await session.set(null);
      if (refreshToken !== undefined) await post('/logout', { refreshToken }, options);
    },
  };
}

type Id = number | string;

interface PagedQuery {
  readonly pagination?: object;
}

interface AnsweredPage {
  readonly meta: { readonly pagination: { readonly cursors: { readonly end: string | null }; readonly hasNext: boolean } };
}

/** Returns the methods for entries and files, without their types. */
function contentMethods({ send, positionOf }: Pick<Requester, 'send' | 'positionOf'>) {
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
    count: (name: string, query?: object, options?: CallOptions) => read(at(name, 'count'), query, options),
    aggregate: (name: string, query?: object, options?: CallOptions) => read(at(name, 'aggregate'), query, options),
    by: (name: string, attribute: string, value: Id, query?: object, options?: CallOptions) =>
      read(at(name, 'by', attribute, value), query, options),
    batch: (writes: readonly BatchWrite[], { transaction, ...options }: BatchOptions = {}) => {
      const requests = writes.map(({ path, query = {}, ...write }) => ({ ...write, path: path + writeQuery(query) }));
      return send({ ...options, method: 'POST', path: '/batch', body: { transaction, requests } });
    },
    upload: (files: readonly Uploadable[], about: UploadOptions = {}, options?: CallOptions) =>
      send(uploadCall(files, { ...about, ...options })),
    request: send,
    positionOf,
  };
}

const at = (...parts: readonly Id[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('');

async function* pagesFrom(
  readPage: (pagination: object) => Promise<unknown>,
  pagination: PagedQuery['pagination'],
): AsyncGenerator<AnsweredPage, void, void> {
  for (let from: object = { cursors: true }; ;) {
    const answer = (await readPage({ ...pagination, ...from })) as AnsweredPage; // the answer to a list
    yield answer;
    const { cursors, hasNext } = answer.meta.pagination;
    if (!hasNext) return;
    from = { after: cursors.end };
  }
}
