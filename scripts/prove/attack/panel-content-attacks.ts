import type { Attack } from './attack.js';
import { isRefused, type Try, trying } from './panel.js';

const types = '/content-type-builder/content-types';

/** A body of the builder as text, because a literal with `__proto__` would not have it as a key. */
const typeBody = (names: readonly [singular: string, plural: string], attributes: string, more: object = {}): string =>
  JSON.stringify({
    contentType: {
      ...{ displayName: 'Evil', singularName: names[0], pluralName: names[1], kind: 'collectionType' },
      ...{ draftAndPublish: false, pluginOptions: {}, attributes: '(attributes)', ...more },
    },
    components: [],
  }).replace('"(attributes)"', attributes);

const text = '{"title":{"type":"string"}}';
const evil = ['evil', 'evils'] as const;

/** Names that would reach prototypes, other collections, folders or routes. */
const dangerousNames: readonly Try[] = [
  ...(
    [
      ['__proto__', 'protos'],
      ['../../evil', 'evils'],
      ['evil', 'evil'],
      ['upload', 'uploads'],
      ['memo', 'memos'],
      ['then', 'thens'],
      ['Evil Type', 'evils'],
      ['evil\u0000', 'evils'],
    ] as const
  ).map((names): Try => ['super', `POST ${types}`, typeBody(names, text), isRefused]),
  ...[
    '{"__proto__":{"type":"string"}}',
    '{"constructor":{"type":"string","default":{"$gt":""}}}',
    '{"id":{"type":"string"}}',
    '{"$where":{"type":"string"}}',
    '{"a.b":{"type":"string"}}',
    '{"_id":{"type":"string"}}',
    '{"":{"type":"string"}}',
    '{"t":{"type":"relation","relation":"oneToMany","target":"admin::user","targetAttribute":"password"}}',
    '{"t":{"type":"relation","relation":"oneToOne","target":"__proto__"}}',
    '{"t":{"type":"string","regex":"(a+)+$("}}',
    '{"t":{"type":"component","component":"constructor"}}',
    '{"t":{"type":"toString"}}',
    '[1]',
    'null',
  ].map((attributes): Try => ['super', `POST ${types}`, typeBody(evil, attributes), isRefused]),
  ...['admin_users', '_tokens', '_models', 'system.users', 'up_users', 'memos', '../evil', 'a$b'].map((collectionName): Try => [
    'super',
    `POST ${types}`,
    typeBody(evil, text, { collectionName }),
    isRefused,
  ]),
  ...['admin::user', 'admin::permission', 'plugin::upload.file', '__proto__', 'constructor'].flatMap((uid): readonly Try[] => [
    ['super', `PUT ${types}/${uid}`, typeBody(evil, text), 404],
    ['super', `DELETE ${types}/${uid}`, undefined, 404],
  ]),
  ['super', 'DELETE /content-type-builder/component-categories/__proto__', undefined, 400],
  ['super', 'GET /content-manager/collection-types/__proto__', undefined, 403],
  ['super', 'GET /content-manager/relations/constructor/name', undefined, 400],
  ['super', `GET ${types}`, undefined, '!evil'],
];

const configuration = (uid: string) => `/content-manager/content-types/${uid}/configuration` as const;
const layouts = { list: ['id'], edit: [] };

/** Views that would show what is hidden, or break the pages of others. */
const poisonedViews: readonly Try[] = [
  ['super', `PUT ${configuration('api::memo.memo')}`, { settings: { mainField: '__proto__' } }, 400],
  ['super', `PUT ${configuration('api::memo.memo')}`, { settings: { mainField: { $gt: '' } } }, 400],
  ['super', `PUT ${configuration('api::memo.memo')}`, { settings: { pageSize: 1e9 } }, 400],
  [
    'super',
    `PUT ${configuration('api::memo.memo')}`,
    '{"metadatas":{"__proto__":{"edit":{},"list":{}}},"layouts":{"list":["id"],"edit":[]}}',
    400,
  ],
  ['super', `PUT ${configuration('api::memo.memo')}`, { layouts: { list: ['constructor'], edit: [] } }, 400],
  ['super', `PUT ${configuration('api::memo.memo')}`, { layouts: { list: ['id'], edit: Array(200_000).fill([]) } }, 400],
  ['super', `PUT ${configuration('__proto__')}`, { layouts }, 404],
  // a main field that the reader may not read is neither shown nor searched
  ['super', `PUT ${configuration('api::memo.memo')}`, { settings: { mainField: 'secret' } }, [200, 400]],
  ['reader', 'GET /content-manager/relations/api::memo.memo/other', undefined, '!s3cret'],
  ['reader', 'GET /content-manager/relations/api::memo.memo/other?_q=s3cret', undefined, '!"id":{memo}'],
];

const privateAddresses = [
  ...'127.0.0.1 127.1 2130706433 0x7f000001 0.0.0.0 localhost LOCALHOST. x.localhost 10.0.0.1 192.168.0.1'.split(' '),
  ...'172.16.0.1 169.254.169.254 100.64.0.1 [::1] [::] [::ffff:127.0.0.1] [64:ff9b::7f00:1] [fe80::1] [fd00::1]'.split(' '),
];

const hook = { name: 'hook', headers: {}, events: [] };

const webhooks: readonly Try[] = [
  ...privateAddresses.map((host): Try => ['super', 'POST /admin/webhooks', { ...hook, url: `http://${host}/` }, 400]),
  ...['file:///etc/passwd', 'gopher://x.example', 'http://', 'http://a@', 'data:text/plain,x'].map((url): Try => [
    'super',
    'POST /admin/webhooks',
    { ...hook, url },
    400,
  ]),
  ['super', 'GET /admin/webhooks', undefined, '"data":[]'],
];

/** Attacks by what administrators write: models, views and webhooks. */
export const panelContentAttacks: readonly Attack[] = [
  trying('dangerous names in the builder', dangerousNames),
  trying('poisoned views', poisonedViews),
  trying('webhooks to private addresses', webhooks),
];
