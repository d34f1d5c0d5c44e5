import { expect } from 'chai';
import { adminRoutes } from '#admin/api/admin-routes.js';
import { panelRows } from '#admin/panel-routes.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Answer, type Serving } from '../support/serve.js';

const memo = {
  uid: 'api::memo.memo',
  kind: 'collectionType',
  collectionName: 'memos',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  options: { draftAndPublish: true },
  attributes: {
    title: { type: 'string' },
    slug: { type: 'uid', targetField: 'title' },
    other: { type: 'relation', relation: 'oneToOne', target: 'api::memo.memo' },
  },
};

/** The parameters of the panel that are texts. */
const texts = [
  'page',
  'pageSize',
  '_q',
  'locale',
  'entityId',
  'id',
  'kind',
  'relatedEntityId',
  'registrationToken',
  'ids',
  'role',
];
const params: Readonly<Record<string, string>> = { uid: 'api::memo.memo', field: 'other', name: 'shared' };

/** Keys of the bodies of the panel and the admin API. */
const keys = [
  ...['email', 'password', 'name', 'description', 'type', 'lifespan', 'roles', 'ids', 'permissions', 'url', 'events', 'headers'],
  ...[
    'registrationToken',
    'resetPasswordToken',
    'userInfo',
    'token',
    'to',
    'code',
    'isDefault',
    'parent',
    'fileIds',
    'folderIds',
  ],
  ...['destinationFolderId', 'contentTypeUID', 'field', 'data', 'value', 'model', 'locale', 'settings', 'metadatas', 'layouts'],
  ...['providers', 'email-templates', 'default_role', 'contentType', 'component', 'components', 'title', 'other', 'publishedAt'],
  ...['pageSize', 'sort', 'sizeOptimization', 'username', 'role', 'actions', 'rows', 'fields', 'secret', 'populate', 'advanced'],
  ...['attributes', 'options', 'info', 'kind', 'collectionName', 'templates'],
];
const operators: readonly unknown[] = [
  { $gt: '' },
  [{ $gt: '' }],
  { _bsontype: 'ObjectId', id: 'x' },
  { a: { _bsontype: 'Binary' } },
];

describe('objects where texts are expected', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({
      models: [memo],
      config: { admin: { rateLimit: { enabled: false }, token: 'x'.repeat(40) }, plugins: { i18n: { enabled: true } } },
    } as never);
    send = await openAdministrators(serving, { leaver: [[{ action: 'admin::webhooks.read' }]] });
  });
  after(() => serving.stop());

  const viaAdmin = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = { authorization: `Bearer ${'x'.repeat(40)}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${serving.server.url}${path}`, { method, headers, ...sent });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  const fill = (path: string): string => path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '1');
  const rows = Object.keys(panelRows).map((row) => row.split(' ') as [string, string]);
  const api = adminRoutes.filter(({ method, path }) => method !== 'ALL' && !path.includes('{'));

  for (const [, path] of rows.filter(([method]) => method === 'GET'))
    it(`GET ${path} refuses parameters that are objects, and names them`, async () => {
      for (const name of texts) {
        const { status, body } = await send('super', 'GET', `${fill(path)}?${name}[$gt]=1`);
        expect([name, status, body.error?.message]).to.deep.equal([name, 400, `Invalid parameter ${name}: must be a text`]);
      }
    });
  for (const { path } of api.filter(({ method }) => method === 'GET'))
    it(`GET ${path} refuses parameters that are objects`, async () => {
      for (const name of ['limit', 'uid', 'id'])
        expect((await viaAdmin('GET', `${fill(path)}?${name}[$gt]=1`)).status).to.equal(400);
    });

  const changing = [
    ...rows.map(([method, path]) => [method, path, path === '/admin/logout' ? 'leaver' : 'super'] as const),
    ...api.map(({ method, path }) => [method, path, 'admin'] as const),
  ].filter(([method]) => method !== 'GET' && method !== 'DELETE');
  for (const [method, path, as] of changing)
    it(`${method} ${path} has no error of the service for objects in its body`, async () => {
      const sendBody = (body: unknown) =>
        as === 'admin' ? viaAdmin(method, fill(path), body) : send(as, method, fill(path), body);
      const all = operators.map((value) => Object.fromEntries(keys.map((key) => [key, value])));
      for (const body of [...all, ...keys.map((key) => ({ [key]: { $gt: '' } }))]) {
        const { status, body: answer } = await sendBody(body);
        expect(status, `${JSON.stringify(body).slice(0, 80)}: ${JSON.stringify(answer)}`).to.be.below(500);
        const isReserved = JSON.stringify(body).includes('_bsontype') && ![401, 403, 404].includes(status);
        if (isReserved)
          expect([status, String(answer.error.message)].join(' ')).to.match(/^400 email\S* must not hold the key "_bsontype"$/);
      }
    });

  it('names the key of a body', async () => {
    const webhook = { name: 'x', url: 'http://x.test', events: [], headers: { _bsontype: 'Long' } };
    const { body } = await send('super', 'POST', '/admin/webhooks', webhook);
    expect(body.error.details.errors[0]).to.include({ message: 'headers must not hold the key "_bsontype"' });
    expect(body.error.details.errors[0].path).to.deep.equal(['headers', '_bsontype']);
  });
  it('refuses objects in the settings of providers', async () => {
    const providers = { google: { enabled: true, key: { $gt: '' } } };
    const { status, body } = await send('super', 'PUT', '/users-permissions/providers', { providers });
    expect([status, body.error.message]).to.deep.equal([
      400,
      'providers.google.key must be a text, a number, a boolean or a list of texts',
    ]);
  });
});
