import { hostname } from 'node:os';
import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const password = 'Password1';
const memo = 'api::memo.memo';
const user = 'plugin::users-permissions.user';
const mine = { conditions: ['admin::is-creator'] };

const models = [
  collectionType('folder', { name: { type: 'string' }, code: { type: 'string' } }),
  collectionType('memo', {
    title: { type: 'string' },
    secret: { type: 'string' },
    folder: { type: 'relation', relation: 'manyToOne', target: 'api::folder.folder' },
    owner: { type: 'relation', relation: 'manyToOne', target: user },
  }),
];

const administrators = {
  author: [
    [
      { action: 'create', subject: memo, fields: ['title', 'folder', 'owner'] },
      { action: 'read', subject: memo, fields: ['title', 'folder', 'owner'] },
      { action: 'update', subject: memo, fields: ['title', 'folder', 'owner'] },
      { action: 'read', subject: 'api::folder.folder', fields: ['name'], ...mine },
      { action: 'plugin::content-manager.collection-types.configure-view' },
    ],
  ],
  clerk: [
    [
      { action: 'read', subject: memo, fields: ['title', 'folder'] },
      { action: 'read', subject: 'api::folder.folder', fields: ['name'] },
    ],
  ],
  reader: [[{ action: 'read', subject: memo, fields: ['title', 'secret'] }]],
} as const;

/** Published flaws of the panel of Strapi and of what it calls. The page docs/security-of-v4.md names these tests. */
describe('flaws of Strapi v4: the panel', () => {
  let serving: Serving;
  let send: PanelSender;

  before(async () => {
    serving = await serveModels({
      models,
      documents: {
        up_users: [
          { _id: 1, username: 'ann', email: 'ann@mail.test', password: '$2b$hash', resetPasswordToken: 'rrrr', role: 1 },
        ],
        folders: [
          { _id: 1, name: 'of super', code: 'hidden', createdBy: 1 },
          { _id: 2, name: 'of the author', code: 'later', createdBy: 2 },
        ],
      },
      config: { admin: { rateLimit: { enabled: false } } },
    });
    send = await openAdministrators(serving, administrators);
    await serving.database.db.collection('admin_users').updateMany({}, { $set: { resetPasswordToken: 'aaaa' } });
    await send('super', 'POST', `/content-manager/collection-types/${memo}`, { title: 'one', secret: 's', folder: 1, owner: 1 });
  });
  after(() => serving.stop());

  const logIn = async (name: string, word = password) =>
    (await send('', 'POST', '/admin/login', { email: `${name}@test.test`, password: word })).body.data?.token as string;
  const asToken = async (token: string, path = '/admin/users/me', method = 'GET') => {
    const answer = await fetch(`${serving.server.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  };

  it('CVE-2022-30617: entries show no secret of the administrators who made them', async () => {
    for (const path of [memo, `${memo}/1`, `${memo}?populate=*`]) {
      const { status, body } = await send('author', 'GET', `/content-manager/collection-types/${path}`);
      expect(status).to.equal(200);
      expect(JSON.stringify(body))
        .to.include('createdBy')
        .and.not.match(/\$2b\$|aaaa|super@test|"password"|resetPasswordToken/);
    }
  });

  it('CVE-2022-30618: entries show no secret of users that they are related to', async () => {
    const paths = [memo, `${memo}/1`, `${memo}?populate=*`, `${memo}?populate[owner][fields]=resetPasswordToken`];
    const all = [...paths.map((path) => `collection-types/${path}`), `relations/${memo}/1/owner`];
    const shown = async (name: string): Promise<string> => {
      const answers = await Promise.all(all.map((path) => send(name, 'GET', `/content-manager/${path}`)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      return JSON.stringify(answers);
    };
    expect(await shown('author')).to.not.match(/\$2b\$|rrrr|ann@mail|"ann"/);
    expect(await shown('super'))
      .to.include('"username":"ann"')
      .and.not.match(/\$2b\$|rrrr/);
  });

  it('CVE-2022-31367: administrators cannot filter or sort by hidden attributes', async () => {
    for (const name of ['password', 'resetPasswordToken', 'registrationToken'])
      for (const query of [`filters[${name}][$startsWith]=a`, `sort=${name}`])
        expect((await send('super', 'GET', `/admin/users?${query}`)).status, query).to.equal(400);
    const by = `/content-manager/collection-types/${memo}?filters[createdBy][resetPasswordToken][$startsWith]=a`;
    expect((await send('author', 'GET', by)).status).to.equal(400);
    expect(
      (await send('super', 'GET', `/content-manager/collection-types/${user}?filters[password][$startsWith]=$`)).status,
    ).to.equal(400);
  });

  /** Runs a test while the view of memos shows a relation by another attribute. */
  const withTitle = async (name: string, mainField: string, work: () => Promise<void>): Promise<void> => {
    const path = `/content-manager/content-types/${memo}/configuration`;
    const { settings, layouts, metadatas } = (await send('super', 'GET', path)).body.data.contentType;
    const changed = { ...metadatas[name], edit: { ...metadatas[name].edit, mainField } };
    const stored = await send('super', 'PUT', path, { settings, layouts, metadatas: { ...metadatas, [name]: changed } });
    expect(stored.status).to.equal(200);
    await work().finally(() => send('super', 'PUT', path, { settings, layouts, metadatas }));
  };

  it('CVE-2023-36472: no view shows a secret as the title of a relation', async () => {
    for (const mainField of ['resetPasswordToken', 'password', 'confirmationToken'])
      await withTitle('owner', mainField, async () => {
        for (const place of [`${memo}/owner`, `${memo}/1/owner`]) {
          const { status, body } = await send('super', 'GET', `/content-manager/relations/${place}`);
          expect(status).to.equal(200);
          expect(JSON.stringify(body))
            .to.include('"id":1')
            .and.not.match(/\$2b\$|rrrr/);
        }
      });
  });

  it('CVE-2023-37263: titles of relations are fields that the role may read', async () => {
    const shown = async (name: string, place: string) => {
      const { status, body } = await send(name, 'GET', `/content-manager/${place}`);
      expect(status).to.equal(200);
      const { id, code } = body.data ?? body.results[0].folder ?? body.results[0];
      return { id, code };
    };
    await withTitle('folder', 'code', async () => {
      for (const place of [`relations/${memo}/1/folder`, `relations/${memo}/folder`, `collection-types/${memo}`]) {
        expect(await shown('super', place), place).to.deep.equal({ id: 1, code: 'hidden' });
        expect(await shown('clerk', place), place).to.deep.equal({ id: 1, code: undefined });
      }
    });
  });

  it('CVE-2024-29181: choices of a relation are entries that the role may read', async () => {
    const path = `/content-manager/relations/${memo}/folder`;
    const names = async (name: string) =>
      ((await send(name, 'GET', path)).body.results as { readonly name: string }[]).map(({ name: title }) => title);
    expect(await names('super')).to.deep.equal(['of super', 'of the author']);
    expect(await names('author')).to.deep.equal(['of the author']);
    expect((await send('super', 'GET', `/content-manager/relations/${memo}/1/folder`)).body.data).to.include({
      name: 'of super',
    });
    expect((await send('author', 'GET', `/content-manager/relations/${memo}/1/folder`)).body.data).to.equal(null);
  });

  it('CVE-2021-28128: a new password needs the current one', async () => {
    for (const more of [{}, { currentPassword: 'Wrong1234' }, { currentPassword: '' }])
      expect((await send('reader', 'PUT', '/admin/users/me', { password: 'Password2', ...more })).status).to.equal(400);
    expect(await logIn('reader')).to.be.a('string');
  });

  it('CVE-2025-3930: a log-out and a deactivation end all tokens of the log-in', async () => {
    const [first, other] = [await logIn('reader'), await logIn('reader')];
    const renew = async (token: string) => (await send('', 'POST', '/admin/renew-token', { token })).body.data?.token as string;
    const renewed = await renew(first);
    expect(await Promise.all([first, renewed, other].map((token) => asToken(token)))).to.deep.equal([200, 200, 200]);
    expect(await asToken(renewed, '/admin/logout', 'POST')).to.equal(200);
    await serving.settled();
    expect(await Promise.all([first, renewed, other].map((token) => asToken(token)))).to.deep.equal([401, 401, 200]);
    expect([await renew(first), await renew(renewed)]).to.deep.equal([undefined, undefined]);
    const { results } = (await send('super', 'GET', '/admin/users?_q=reader')).body.data;
    const at = `/admin/users/${String(results[0].id)}`;
    expect((await send('super', 'PUT', at, { isActive: false })).status).to.equal(200);
    await serving.settled();
    expect([await asToken(other), await renew(other)]).to.deep.equal([401, undefined]);
    await send('super', 'PUT', at, { isActive: true });
    await serving.settled();
    expect(await asToken(other)).to.equal(401);
    const last = await logIn('reader');
    expect(await asToken(last)).to.equal(200);
    expect((await send('super', 'PUT', at, { password })).status).to.equal(200);
    await serving.settled();
    expect([await asToken(last), await renew(last)]).to.deep.equal([401, undefined]);
  });

  it('CVE-2026-108114: a token loses the fields that are taken from the role', async () => {
    const token = await logIn('reader');
    const read = async () => {
      const answer = await fetch(`${serving.server.url}/content-manager/collection-types/${memo}/1`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return (await answer.json()) as object;
    };
    expect(await read()).to.include({ title: 'one', secret: 's' });
    const roles = (await send('super', 'GET', '/admin/roles')).body.data as { id: number; name: string }[];
    const role = roles.find(({ name }) => name === 'reader 0')?.id;
    const permission = {
      action: 'plugin::content-manager.explorer.read',
      subject: memo,
      properties: { fields: ['title'] },
      conditions: [],
    };
    await send('super', 'PUT', `/admin/roles/${String(role)}/permissions`, { permissions: [permission] });
    await serving.settled();
    expect(await read())
      .to.include({ title: 'one' })
      .and.not.have.property('secret');
  });

  it('CVE-2020-13961: only administrators with the right change templates of e-mails', async () => {
    const { body } = await send('super', 'GET', '/users-permissions/email-templates');
    expect((await send('author', 'PUT', '/users-permissions/email-templates', { 'email-templates': body })).status).to.equal(403);
    expect((await send('super', 'PUT', '/users-permissions/email-templates', { 'email-templates': body })).status).to.equal(200);
  });

  it('CVE-2023-22621: templates of e-mails are no code', async () => {
    const { body } = await send('super', 'GET', '/users-permissions/email-templates');
    const attacks = [
      "<%= process.mainModule.require('child_process').execSync('id') %>",
      '<% process.exit() %>',
      '<%- global.process %>',
      '<%= `${process.exit()}` %>',
      '<%= URL %><%# x %><%\n process.exit() %>',
    ];
    for (const message of attacks) {
      const { reset_password: template, ...others } = body;
      const changed = { ...others, reset_password: { ...template, options: { ...template.options, message } } };
      const { status } = await send('super', 'PUT', '/users-permissions/email-templates', { 'email-templates': changed });
      expect(status, message).to.equal(400);
    }
  });

  it('CVE-2020-27665: only administrators with the right use the Content-Type Builder', async () => {
    const contentType = { displayName: 'x', singularName: 'x', pluralName: 'xs', kind: 'collectionType', attributes: {} };
    expect((await send('author', 'POST', '/content-type-builder/content-types', { contentType })).status).to.equal(403);
    expect((await send('', 'POST', '/content-type-builder/content-types', { contentType })).status).to.equal(401);
    expect((await send('author', 'DELETE', `/content-type-builder/content-types/${memo}`)).status).to.equal(403);
  });

  it('CVE-2026-22599: the Content-Type Builder passes nothing to the database but known settings of attributes', async () => {
    const raw = ["'; DROP TABLE admin_users; --", { isRaw: true }];
    const type = (attribute: object) => ({
      contentType: {
        ...{ displayName: 'odd', singularName: 'odd', pluralName: 'odds', kind: 'collectionType' },
        attributes: { text: { type: 'string', ...attribute } },
      },
    });
    const refused = await send('super', 'POST', '/content-type-builder/content-types', type({ default: raw }));
    expect(refused.status).to.equal(400);
    const made = await send('super', 'POST', '/content-type-builder/content-types', type({ column: { defaultTo: raw } }));
    expect(made.status).to.be.oneOf([201, 400]);
    if (made.status === 201) {
      await serving.settled();
      await send('super', 'POST', '/content-manager/collection-types/api::odd.odd', {});
      expect((await serving.database.db.collection('odds').findOne({}))?.['text'] ?? null).to.equal(null);
    }
  });

  it('CVE-2024-52588: webhooks call no address of this machine or of a private network', async () => {
    const admin = { rateLimit: { enabled: false }, token: 't'.repeat(40), apiToken: { salt: 's'.repeat(20) } };
    const production = { environment: 'production', admin };
    const own = await serveModels({
      models: [],
      config: { ...production, plugins: { 'users-permissions': { config: { jwtSecret: 'j'.repeat(40) } } } },
    });
    try {
      const sendOwn = await openAdministrators(own, {});
      for (const url of [
        `${own.server.url}/admin/init`,
        'http://169.254.169.254/latest',
        'http://[::1]:1337/',
        'http://2130706433/',
      ]) {
        const hook = { name: 'hook', url, headers: {}, events: ['entry.create'] };
        expect((await sendOwn('super', 'POST', '/admin/webhooks', hook)).status, url).to.equal(400);
      }
      // the name of this machine is no address, so that a webhook of it can be stored, but it cannot be called
      const url = `http://${hostname()}:${new URL(own.server.url).port}/admin/init`;
      const hook = { name: 'hook', url, headers: {}, events: ['entry.create'] };
      const made = await sendOwn('super', 'POST', '/admin/webhooks', hook);
      const called = await sendOwn('super', 'POST', `/admin/webhooks/${String(made.body.data.id)}/trigger`);
      expect(called.body.data.message).to.include('private network');
    } finally {
      await own.stop();
    }
  });

  it('CVE-2020-27664: no request passes on what another address answers', async () => {
    for (const path of ['/proxy', '/upload/proxy', '/admin/proxy'])
      expect((await send('super', 'GET', `${path}?url=http://127.0.0.1/`)).status, path).to.be.oneOf([404, 405]);
    const { port } = new URL(serving.server.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', hostname()]) {
      const url = `http://${host}:${port}/admin/init`;
      const { status, body } = await send('super', 'POST', '/upload/from-url', { url });
      expect(status, host).to.equal(400);
      expect(body.error.message, host).to.include('private network');
      expect((await send('author', 'POST', '/upload/from-url', { url })).status).to.equal(403);
    }
  });

  const absent: readonly (readonly [
    title: string,
    requests: readonly (readonly [method: string, path: string, body?: object])[],
  ])[] = [
    [
      'CVE-2019-19609: no request installs plugins',
      [
        ['POST', '/admin/plugins/install', { plugin: 'documentation && touch /tmp/x', port: '1337' }],
        ['DELETE', '/admin/plugins/uninstall/documentation%20%26%26%20id'],
      ],
    ],
    [
      'CVE-2020-8123: no request restarts the service',
      [
        ['POST', '/admin/reload'],
        ['GET', '/admin/restart'],
        ['POST', '/content-type-builder/restart'],
      ],
    ],
    [
      'CVE-2024-37818: no request fetches pictures of other addresses',
      [
        ['GET', '/_next/image?url=http://127.0.0.1/x.png&w=64&q=75'],
        ['GET', '/strapi.io/_next/image?url=http://127.0.0.1/'],
      ],
    ],
  ];
  for (const [title, requests] of absent)
    it(title, async () => {
      const { pid } = process;
      for (const [method, path, body] of requests)
        expect((await send('super', method, path, body)).status, path).to.be.oneOf([404, 405]);
      expect((await send('super', 'GET', '/admin/users/me')).status).to.equal(200);
      expect(process.pid).to.equal(pid);
    });
});

describe('flaws of Strapi v4: attempts of administrators', () => {
  it('CVE-2023-38507: other spellings of the path of the log-in share one allowance', async () => {
    const serving = await serveModels({ models: [], config: { admin: { rateLimit: { max: 3, maxPerClient: 3 } } } });
    try {
      await openAdministrators(serving, {});
      const paths = [
        '/admin/login',
        '/Admin/Login',
        '/admin/login/',
        '//admin/login',
        '/admin/LOGIN',
        '/admin/%6cogin',
        '/admin/./login',
      ];
      const statuses: number[] = [];
      for (const path of [...paths, ...paths]) {
        const answer = await fetch(`${serving.server.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: 'super@test.test', password: 'Wrong1234' }),
        });
        statuses.push(answer.status);
      }
      expect(statuses.filter((status) => status === 400)).to.have.length(3);
      expect(
        statuses.every((status) => [400, 404, 405, 429].includes(status)),
        statuses.join(' '),
      ).to.equal(true);
    } finally {
      await serving.stop();
    }
  });
});
