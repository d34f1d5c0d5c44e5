import { collectionType } from '../../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { type Answer, serveModels, type Serving, type ServingInput, type TestModel } from '../../support/serve.js';

export const adminToken = 'an-admin-token-of-more-than-32-characters';

const drafts = { options: { draftAndPublish: true } };

export const article = 'api::article.article';
const author = 'api::author.author';

/** Articles whose seo, notes and codes some may not see, with authors, who have publishers, and so on. */
export const models: readonly TestModel[] = [
  { uid: 'shared.seo', info: { displayName: 'seo' }, attributes: { title: { type: 'string' }, note: { type: 'string' } } },
  collectionType(
    'article',
    {
      title: { type: 'string' },
      slug: { type: 'uid' },
      code: { type: 'string' },
      hush: { type: 'string', private: true },
      pass: { type: 'password' },
      seo: { type: 'component', component: 'shared.seo' },
      author: { type: 'relation', relation: 'manyToOne', target: author },
      related: { type: 'relation', relation: 'manyToMany', target: article },
    },
    drafts,
  ),
  collectionType('author', { name: { type: 'string' }, salary: { type: 'integer' }, next: link('author') }, drafts),
  collectionType('page', { title: { type: 'string' }, articles: { type: 'relation', relation: 'oneToMany', target: article } }),
  { ...collectionType('home', { title: { type: 'string' }, star: link('article') }, drafts), kind: 'singleType' },
];

function link(name: string): object {
  return { type: 'relation', relation: 'oneToOne', target: `api::${name}.${name}` };
}

/** The fields that the editor may see. */
const seen = ['title', 'slug', 'hush', 'pass', 'seo.title', 'author', 'related'];

const mine = { conditions: ['admin::is-creator'] };

/** An editor who sees some fields of all articles and the names of authors, and one who sees their own articles. */
const administrators = {
  editor: [
    [
      { action: 'read', subject: article, fields: seen },
      { action: 'update', subject: article, fields: seen },
      { action: 'read', subject: author, fields: ['name', 'next'] },
    ],
  ],
  owner: [
    [
      { action: 'read', subject: article, fields: ['title'], ...mine },
      { action: 'create', subject: article, fields: ['title'] },
    ],
  ],
} as const;

const time = new Date('2026-01-01');
const published = { publishedAt: time, createdAt: time, updatedAt: time };
const draft = { ...published, publishedAt: null };

const documents = {
  articles: [
    { _id: 1, title: 'Live', slug: 'live', code: 'c1', ...published },
    {
      ...{ _id: 2, title: 'Draft', slug: 'draft', code: 'c2', hush: 'hush', author: 1, related: [3], ...draft },
      seo: { id: 1, title: 'Seo', note: 'note' },
    },
    { _id: 3, title: 'Other draft', slug: 'other', code: 'c3', author: 2, ...draft },
  ],
  authors: [
    { _id: 1, name: 'A1', salary: 10, next: 2, ...draft },
    { _id: 2, name: 'A2', salary: 20, next: 3, ...draft },
    { _id: 3, name: 'A3', salary: 30, next: 4, ...draft },
    { _id: 4, name: 'A4', salary: 40, ...draft },
  ],
  pages: [{ _id: 1, title: 'Page', articles: [1, 2, 3], ...published }],
  homes: [{ _id: 1, title: 'Home', star: 2, ...draft }],
};

export interface Previewing {
  readonly serving: Serving;
  readonly send: PanelSender;
  /** Returns a new token of an administrator for an entry. */
  readonly tokenFor: (as: string, id: number, uid?: string) => Promise<string>;
  /** Reads by the public, with a token in the header if there is one. */
  readonly read: (path: string, token?: string) => Promise<Answer & { readonly headers: Headers }>;
  readonly query: (text: string, token?: string) => Promise<Answer>;
}

/** Starts a service whose public may do nothing but `granted`. */
export async function servePreview(granted: readonly string[], input: Partial<ServingInput> = {}): Promise<Previewing> {
  const { admin = {}, ...config } = input.config ?? {};
  const serving = await serveModels({
    ...{ models, documents },
    ...input,
    config: { api: { open: false }, ...config, admin: { token: adminToken, preview: { enabled: true }, ...(admin as object) } },
  });
  const send = await openAdministrators(serving, administrators);
  const { url } = serving.server;
  await grant(url, granted);
  const read: Previewing['read'] = async (path, token) => {
    const answer = await fetch(`${url}${path}`, { headers: token === undefined ? {} : { 'x-preview-token': token } });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
  };
  const query: Previewing['query'] = async (text, token) => {
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { 'x-preview-token': token }) };
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: text }) });
    return { status: answer.status, body: await answer.json() };
  };
  const tokenFor: Previewing['tokenFor'] = async (as, id, uid = article) => {
    const { status, body } = await send(as, 'POST', '/admin/api/preview-tokens', { uid, id });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return String(body.data.token);
  };
  return { serving, send, tokenFor, read, query };
}

/** Lets the public do these actions alone. */
async function grant(url: string, actions: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/admin/api/roles`, { headers });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: number; readonly type: string }[] };
  const id = String(data.find(({ type }) => type === 'public')?.id);
  const changed = await fetch(`${url}/admin/api/roles/${id}`, { method: 'PUT', headers, body: JSON.stringify({ actions }) });
  if (changed.status !== 200) throw new Error(await changed.text());
}
