import { accountModels, adminToken, serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import type { Answer, ServingInput, TestModel } from '../../../support/serve.js';

/** An answer with the headers that tell a stored one from a first one. */
export interface Keyed extends Answer {
  readonly text: string;
  readonly replayed: string | null;
  readonly headers: Headers;
}

export interface Sent {
  readonly key?: string | null;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const page: TestModel = {
  uid: 'api::page.page',
  kind: 'singleType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  attributes: { heading: { type: 'string' } },
};

const order: TestModel = {
  uid: 'api::order.order',
  kind: 'collectionType',
  collectionName: 'orders',
  info: { singularName: 'order', pluralName: 'orders', displayName: 'Order' },
  options: { draftAndPublish: false, requireIdempotencyKey: true },
  attributes: {
    number: { type: 'string', unique: true },
    slug: { type: 'uid', targetField: 'number' },
    count: { type: 'integer' },
  },
};

const post: TestModel = {
  uid: 'api::post.post',
  kind: 'collectionType',
  collectionName: 'posts',
  info: { singularName: 'post', pluralName: 'posts', displayName: 'Post' },
  pluginOptions: { i18n: { localized: true } },
  attributes: { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
};

/** Article, note, a single type, a type that demands keys, and a localized one. */
export const models: readonly TestModel[] = [...accountModels, page, order, post];

export interface ServingKeys extends ServingAccounts {
  readonly key: string;
  /** Sends a request; with the key of an API token that may do everything unless another one is given. */
  readonly keyed: (method: string, path: string, sent: Sent) => Promise<Keyed>;
}

/** Serves the models to callers with a token. */
export async function serveKeys(input: Partial<ServingInput> = {}): Promise<ServingKeys> {
  const serving = await serveAccounts({ models, ...input });
  const { body } = await serving.admin('POST', '/tokens', { name: `loader ${String(Math.random())}`, type: 'full-access' });
  const key = String(body.data.accessKey);
  return {
    ...serving,
    key,
    keyed: (method, path, sent) => send(`${serving.server.url}${path}`, method, { token: key, ...sent }),
  };
}

async function send(url: string, method: string, { key = null, token, headers, body, signal }: Sent): Promise<Keyed> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== null && { 'idempotency-key': key }),
      ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    body: isJson && text !== '' ? JSON.parse(text) : text,
    text,
    replayed: response.headers.get('idempotency-replayed'),
    headers: response.headers,
  };
}

export { adminToken };
