import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import type { ServingInput, TestModel } from '../../support/serve.js';

const type = (singularName: string, attributes: object, more: object = {}): TestModel => ({
  uid: `api::${singularName}.${singularName}`,
  kind: 'collectionType',
  collectionName: `${singularName}s`,
  info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
  attributes,
  pluginOptions: { sync: { enabled: true } },
  ...more,
});

const relation = (kind: string, target: string, sides: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...sides,
});

/** Types that clients push to: `memo` overwrites, `page` has locales and drafts, `log` is not synced. */
export const pushModels: readonly TestModel[] = [
  type('article', {
    title: { type: 'string', maxLength: 20 },
    views: { type: 'integer', max: 1_000 },
    price: { type: 'decimal' },
    count: { type: 'biginteger' },
    at: { type: 'datetime' },
    data: { type: 'json' },
    place: { type: 'point' },
    secret: { type: 'string', private: true },
    owner: { type: 'integer' },
    author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    tags: relation('manyToMany', 'tag', { inversedBy: 'articles' }),
    cover: { type: 'media', multiple: false },
    photos: { type: 'media', multiple: true },
    seo: { type: 'component', component: 'shared.seo' },
    sections: { type: 'dynamiczone', components: ['shared.seo'] },
  }),
  type(
    'author',
    { name: { type: 'string', unique: true }, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) },
    {
      options: { draftAndPublish: true },
      pluginOptions: { sync: { enabled: true } },
    },
  ),
  type('tag', { name: { type: 'string' }, articles: relation('manyToMany', 'article', { mappedBy: 'tags' }) }),
  type('memo', { text: { type: 'string' } }, { pluginOptions: { sync: { enabled: true, conflicts: 'last' } } }),
  type('guard', { text: { type: 'string' } }, { options: { requireIfMatch: true } }),
  type(
    'page',
    { title: { type: 'string', required: true, pluginOptions: { i18n: { localized: true } } }, rank: { type: 'integer' } },
    { options: { draftAndPublish: true }, pluginOptions: { sync: { enabled: true }, i18n: { localized: true } } },
  ),
  type('log', { text: { type: 'string' } }, { pluginOptions: {} }),
  {
    uid: 'shared.seo',
    info: { displayName: 'Seo' },
    attributes: { title: { type: 'string' }, author: relation('oneToOne', 'author') },
  },
];

export interface PushedWrite {
  readonly op: 'create' | 'update' | 'delete';
  readonly type: string;
  readonly id: number | string;
  readonly [name: string]: unknown;
}

/** What a push answers of a write. */
export interface Pushed {
  readonly key: string;
  readonly status: string;
  readonly id: number | string;
  readonly version: string | null;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into values of every form
  readonly attributes?: any;
  readonly conflicts?: Record<string, { from: unknown; mine?: unknown; theirs: unknown }>;
  readonly error?: { readonly status: number; readonly name: string; readonly message: string };
}

export interface ServingPush extends ServingAccounts {
  /** A token that may do everything. */
  readonly full: string;
  /** Pushes writes as the caller of a token, each with a new key unless it has one. Expects a 200. */
  readonly push: (token: string | null, ...writes: readonly PushedWrite[]) => Promise<readonly Pushed[]>;
  /** The same with one write. */
  readonly pushOne: (write: PushedWrite, token?: string | null) => Promise<Pushed>;
  /** Creates an entry over REST. Returns its id. */
  readonly make: (type: string, data: object) => Promise<number>;
  /** Reads an entry over REST, with all its relations. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into values of every form
  readonly read: (type: string, id: number) => Promise<any>;
}

let last = 0;

/** Returns a key that no other write has. */
export const newKey = (): string => `key-of-a-write-${String((last += 1)).padStart(4, '0')}`;

export async function servePush(input: Partial<ServingInput> = {}): Promise<ServingPush> {
  const serving = await serveAccounts({ models: pushModels, ...input });
  const { body } = await serving.admin('POST', '/tokens', { name: 'full', type: 'full-access' });
  const full = body.data.accessKey as string; // by the admin API
  const push: ServingPush['push'] = async (token, ...writes) => {
    const keyed = writes.map((write) => ({ key: newKey(), ...write }));
    const { status, body: answer } = await serving.as(token, 'POST', '/api/sync/push', { writes: keyed });
    expect(status, JSON.stringify(answer)).to.equal(200);
    expect(answer.meta).to.deep.equal({});
    const data = answer.data as readonly Pushed[];
    expect(data.map(({ key }) => key)).to.deep.equal(keyed.map(({ key }) => key));
    return data;
  };
  const pushOne: ServingPush['pushOne'] = async (write, token = full) => {
    const [answer] = await push(token, write);
    if (answer === undefined) throw new Error('a push answers each write');
    return answer;
  };
  const make: ServingPush['make'] = async (name, data) => {
    const { status, body: made } = await serving.as(full, 'POST', `/api/${name}`, { data });
    expect(status, JSON.stringify(made)).to.equal(200);
    return made.data.id as number; // of an entry
  };
  const read: ServingPush['read'] = async (name, id) =>
    (await serving.as(full, 'GET', `/api/${name}/${String(id)}?populate=*`)).body.data?.attributes;
  return { ...serving, full, push, pushOne, make, read };
}
