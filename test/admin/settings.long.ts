import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Answer, serveModels, type Serving, type TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::memo.memo',
    kind: 'collectionType',
    collectionName: 'memos',
    info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
    attributes: { title: { type: 'string' } },
  },
];

const password = 'Password1';
const mine = { conditions: ['admin::is-creator'] };
const library = (action: string) => `plugin::upload.${action}`;

/** The permissions of administrators other than the super admin. */
const permissions = {
  librarian: ['read', 'assets.create', 'assets.update'].map((action) => ({
    action: library(action),
    ...(action === 'assets.create' ? {} : mine),
  })),
  clerk: [{ action: 'admin::api-tokens.read' }, { action: 'admin::webhooks.read' }],
} as const;

describe('settings, media library and builder of the panel', () => {
  let serving: Serving;
  const tokens = new Map<string, string>();
  const send = async (as: string, method: string, path: string, body?: unknown, headers: object = {}): Promise<Answer> => {
    const isForm = body instanceof FormData;
    const token = tokens.get(as) ?? as;
    const response = await fetch(`${serving.server.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(!isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text };
  };
  const data = async (as: string, method: string, path: string, body?: unknown) => {
    const answer = await send(as, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body.data ?? answer.body;
  };
  const uploadAs = async (as: string, name: string): Promise<number> => {
    const form = new FormData();
    form.append('files', new Blob(['text'], { type: 'text/plain' }), name);
    const [file] = (await send(as, 'POST', '/upload', form)).body;
    return Number(file.id);
  };
  const folder = async (name: string, parent: number | null = null): Promise<number> =>
    Number((await data('super', 'POST', '/upload/folders', { name, parent })).id);

  before(async () => {
    serving = await serveModels({ models });
    const first = await data('', 'POST', '/admin/register-admin', { email: 'super@test.test', firstname: 'super', password });
    tokens.set('super', first.token);
    for (const [name, given] of Object.entries(permissions)) {
      const { id } = await data('super', 'POST', '/admin/roles', { name });
      await data('super', 'PUT', `/admin/roles/${String(id)}/permissions`, { permissions: given });
      const invited = await data('super', 'POST', '/admin/users', { email: `${name}@test.test`, firstname: name, roles: [id] });
      const userInfo = { firstname: name, password };
      const registered = await data('', 'POST', '/admin/register', { registrationToken: invited.registrationToken, userInfo });
      tokens.set(name, registered.token);
    }
    const made = await data('super', 'POST', '/admin/api-tokens', { name: 'all', type: 'full-access', lifespan: null });
    tokens.set('api', made.accessKey);
  });
  after(() => serving.stop());

  describe('each kind of token opens its own routes only', () => {
    const routes = [
      '/admin/api-tokens',
      '/admin/webhooks',
      '/upload/files',
      '/upload/folders',
      '/i18n/locales',
      '/email/settings',
    ];
    const paths = [...routes, '/users-permissions/roles', '/users-permissions/providers', '/content-type-builder/content-types'];
    for (const path of paths)
      it(`answers 401 to an API token at ${path}`, async () => {
        expect((await send('api', 'GET', path)).status).to.equal(401);
      });
    it('answers 401 to an administrator on the content API', async () => {
      expect((await send('super', 'GET', '/api/memos')).status).to.equal(401);
      expect((await send('api', 'GET', '/api/memos')).status).to.equal(200);
    });
  });

  describe('files of other hosts', () => {
    const urls: readonly (readonly [url: string, status: number, text: string])[] = [
      ['http://127.0.0.1:1/a.png', 400, 'private network'],
      ['http://localhost:1/a.png', 400, 'private network'],
      ['http://[::ffff:10.0.0.1]/a.png', 400, 'private network'],
      ['http://169.254.169.254/latest', 400, 'private network'],
      ['http://nothing.invalid/a.png', 400, 'nothing.invalid does not answer'],
      ['ftp://files.test/a.png', 400, 'http or https'],
      ['file:///etc/passwd', 400, 'http or https'],
      ['no address', 400, 'http or https'],
    ];
    for (const [url, status, text] of urls)
      it(`answers ${String(status)} to ${url}`, async () => {
        const { status: answered, body } = await send('super', 'POST', '/upload/from-url', { url });
        expect(answered).to.equal(status);
        expect(body.error.message).to.include(text);
      });
    for (const body of [{}, { url: 1 }, { url: 'http://a.test/', more: 1 }, { url: `http://a.test/${'a'.repeat(2_000)}` }])
      it(`answers 400 to ${JSON.stringify(body).slice(0, 50)}`, async () => {
        expect((await send('super', 'POST', '/upload/from-url', body)).status).to.equal(400);
      });
    it('need the right to upload', async () => {
      expect((await send('clerk', 'POST', '/upload/from-url', { url: 'http://a.test/' })).status).to.equal(403);
    });

    describe('of which the service may ask any', () => {
      let open: Serving;
      let files: Server;
      before(async () => {
        files = createServer((request, response) => {
          const { pathname, searchParams } = new URL(request.url ?? '', 'http://files.test');
          if (pathname === '/move') response.writeHead(302, { location: searchParams.get('to') ?? '' }).end();
          else if (pathname === '/gone') response.writeHead(404).end('secret');
          else if (pathname === '/long') response.writeHead(200, { 'content-length': '2000' }).end('a'.repeat(2_000));
          else if (pathname === '/endless') response.writeHead(200).write('a'.repeat(2_000));
          else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>text');
        }).listen(0);
        await once(files, 'listening');
        const plugins = { upload: { config: { sizeLimit: 1_000 } } };
        open = await serveModels({ models, config: { webhooks: { allowPrivate: true }, plugins } });
        const first = await open.call('POST', '/admin/register-admin', {
          email: 'super@test.test',
          firstname: 'super',
          password,
        });
        tokens.set('open', String(first.body.data.token));
      });
      after(async () => {
        await open.stop();
        files.closeAllConnections();
        files.close();
      });
      const ask = (path: string): Promise<Response> => {
        const { port } = files.address() as AddressInfo;
        return fetch(`${open.server.url}/upload/from-url`, {
          method: 'POST',
          headers: { authorization: `Bearer ${String(tokens.get('open'))}`, 'content-type': 'application/json' },
          body: JSON.stringify({ url: `http://127.0.0.1:${String(port)}${path}` }),
        });
      };

      it('are answered with their address after redirects, and never as a page', async () => {
        const answer = await ask('/move?to=/page');
        expect([answer.status, await answer.text()]).to.deep.equal([200, '<p>text']);
        const { 'x-file-address': address, ...headers } = Object.fromEntries(answer.headers);
        expect(address).to.match(/^http:\/\/127\.0\.0\.1:\d+\/page$/);
        expect(headers).to.include({ 'content-security-policy': 'sandbox', 'content-disposition': 'attachment' });
      });
      for (const [path, status, text] of [
        ['/gone', 400, 'answers 404'],
        ['/long', 413, 'too large'],
        ['/move?to=/move%3Fto=/move', 400, 'redirects too often'],
        ['/move?to=ftp://a.test/', 400, 'http or https'],
      ] as const)
        it(`are a ${String(status)} at ${path}`, async () => {
          const answer = await ask(path);
          expect([answer.status, await answer.text()]).to.satisfy(
            ([found, body]: [number, string]) => found === status && body.includes(text) && !body.includes('secret'),
          );
        });
      it('end where they become too large', async () => {
        const text = await ask('/endless')
          .then((answer) => answer.text())
          .catch(() => 'broken');
        expect(text).to.equal('broken');
      });
    });
  });

  it('answers the default sender of e-mails, and stores none if a template is saved with it', async () => {
    const { body: shown } = await send('super', 'GET', '/users-permissions/email-templates');
    expect(shown.reset_password.options.from.email).to.equal('no-reply@localhost.localdomain');
    for (const [email, stored] of [
      ['no-reply@localhost.localdomain', ''],
      ['team@example.org', 'team@example.org'],
    ] as const) {
      const { options } = shown.reset_password;
      const changed = { ...shown.reset_password, options: { ...options, from: { ...options.from, email } } };
      const saved = await send('super', 'PUT', '/users-permissions/email-templates', {
        'email-templates': { ...shown, reset_password: changed },
      });
      expect(saved.status, JSON.stringify(saved.body)).to.equal(200);
      const settings = await serving.database.db.collection<{ _id: string }>('_settings').findOne({ _id: 'users-permissions' });
      expect(settings).to.have.nested.property('templates.reset_password.from.email', stored);
    }
  });

  it('says that no mail server is configured', async () => {
    expect((await send('super', 'GET', '/email/settings')).body.config.provider).to.equal('none');
  });

  describe('rights', () => {
    const refused: readonly (readonly [as: string, method: string, path: string, body?: object])[] = [
      ['clerk', 'POST', '/admin/api-tokens', { name: 'x', type: 'full-access', lifespan: null }],
      ['clerk', 'PUT', '/admin/api-tokens/1', { type: 'full-access' }],
      ['clerk', 'POST', '/admin/api-tokens/1/regenerate'],
      ['clerk', 'DELETE', '/admin/api-tokens/1'],
      ['clerk', 'POST', '/admin/webhooks/1/trigger', {}],
      ['clerk', 'POST', '/i18n/locales', { code: 'fr', isDefault: true }],
      ['clerk', 'PUT', '/users-permissions/roles/1', { name: 'x' }],
      ['clerk', 'PUT', '/users-permissions/advanced', { default_role: 'authenticated' }],
      ['clerk', 'PUT', '/upload/settings', { sizeOptimization: true, responsiveDimensions: true }],
      ['clerk', 'DELETE', '/content-type-builder/content-types/api::memo.memo'],
      ['clerk', 'POST', '/admin/project-settings', {}],
      ['librarian', 'PUT', '/upload/configuration', { pageSize: 10, sort: 'name:ASC' }],
    ];
    for (const [as, method, path, body] of refused)
      it(`refuses ${method} ${path} to a ${as}`, async () => {
        expect((await send(as, method, path, body)).status).to.equal(403);
      });
    it('neither lists nor changes tokens of the admin API of the service', async () => {
      const { db } = serving.database;
      await db.collection<{ _id: number }>('_tokens').insertOne({ _id: 900, name: 'own', type: 'admin', hash: 'x' } as never);
      const names = (await data('super', 'GET', '/admin/api-tokens')).map(({ name }: { name: string }) => name);
      expect(names).to.deep.equal(['all']);
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['POST', '/regenerate'],
      ] as const)
        expect((await send('super', method, `/admin/api-tokens/900${path}`, method === 'GET' ? undefined : {})).status).to.equal(
          404,
        );
      expect((await send('super', 'DELETE', '/admin/api-tokens/900')).body).to.deep.equal({ data: null });
    });
  });

  describe('files of others', () => {
    let [own, other] = [0, 0];
    before(async () => {
      own = await uploadAs('librarian', 'own.txt');
      other = await uploadAs('super', 'other.txt');
    });
    const name = { fileInfo: { name: 'mine.txt' } };
    const cases: readonly (readonly [title: string, method: string, path: () => string, body?: () => object])[] = [
      ['read', 'GET', () => `/upload/files/${String(other)}`],
      ['change', 'POST', () => `/upload?id=${String(other)}`, () => name],
      ['delete', 'DELETE', () => `/upload/files/${String(other)}`],
      ['move', 'POST', () => '/upload/actions/bulk-move', () => ({ fileIds: [own, other], destinationFolderId: null })],
      ['delete with own ones', 'POST', () => '/upload/actions/bulk-delete', () => ({ fileIds: [own, other] })],
    ];
    for (const [title, method, path, body] of cases)
      it(`are not for everybody to ${title}`, async () => {
        expect((await send('librarian', method, path(), body?.())).status).to.equal(403);
      });
    it('are left out of lists, searches and counts', async () => {
      const ids = async (query: string) => {
        const { results, pagination } = (await send('librarian', 'GET', `/upload/files${query}`)).body;
        return [results.map(({ id }: { id: number }) => id), pagination.total];
      };
      for (const query of ['', '?_q=txt', `?filters[id]=${String(own)}`]) expect(await ids(query)).to.deep.equal([[own], 1]);
      expect(await ids(`?filters[id]=${String(other)}`)).to.deep.equal([[], 0]);
    });
    it('are not deleted with the folder of somebody else', async () => {
      const id = await folder('Shared');
      await data('super', 'POST', '/upload/actions/bulk-move', { fileIds: [other], destinationFolderId: id });
      expect((await send('librarian', 'POST', '/upload/actions/bulk-delete', { folderIds: [id] })).status).to.equal(403);
    });
    it('do not tell the secrets of their creators', async () => {
      for (const query of ['filters[createdBy][password][$startsWith]=$2', 'sort=createdBy.password'])
        expect((await send('super', 'GET', `/upload/files?${query}`)).status).to.equal(400);
    });
  });

  describe('folders', () => {
    it('cannot contain themselves, and take what they contain along', async () => {
      const a = await folder('A');
      const b = await folder('B', a);
      const c = await folder('C', b);
      const place = (id: number) => `/upload/folders/${String(id)}`;
      for (const parent of [a, b, c]) expect((await send('super', 'PUT', place(a), { parent })).status).to.equal(400);
      const moves = { folderIds: [a], destinationFolderId: c };
      expect((await send('super', 'POST', '/upload/actions/bulk-move', moves)).status).to.equal(400);
      const file = await uploadAs('super', 'inside.txt');
      await data('super', 'POST', '/upload/actions/bulk-move', { fileIds: [file], destinationFolderId: c });
      await data('super', 'PUT', place(b), { parent: null });
      const { path } = await data('super', 'GET', place(c));
      expect(path.split('/')).to.have.length(3);
      expect((await send('super', 'GET', `/upload/files/${String(file)}`)).body.folderPath).to.equal(path);
      await data('super', 'POST', '/upload/actions/bulk-delete', { folderIds: [b] });
      expect((await send('super', 'GET', `/upload/files/${String(file)}`)).status).to.equal(404);
    });
    describe('moved together with a folder inside them', () => {
      const moves = '/upload/actions/bulk-move';
      /** Orders in which a folder, one inside it and one inside that are named. */
      const orders = ['top inner', 'inner top', 'top deep', 'deep inner top', 'inner deep'];
      for (const order of orders)
        it(`${order}: paths follow the parents, and files follow the folders`, async () => {
          const destination = await folder(`to ${order}`);
          const top = await folder(`top ${order}`);
          const inner = await folder('inner', top);
          const ids: Readonly<Record<string, number>> = { top, inner, deep: await folder('deep', inner) };
          const files = new Map<number, number>();
          for (const id of Object.values(ids)) {
            const file = await uploadAs('super', 'inside.txt');
            await data('super', 'POST', moves, { fileIds: [file], destinationFolderId: id });
            files.set(id, file);
          }
          const folderIds = order.split(' ').map((name) => ids[name]);
          await data('super', 'POST', moves, { folderIds, destinationFolderId: destination });
          const stored = await serving.database.db.collection('upload_folders').find().toArray();
          const pathOf = (id: unknown): string => String(stored.find(({ _id }) => Number(_id) === id)?.['path'] ?? '');
          for (const { path, parent, pathId } of stored) expect(path).to.equal(`${pathOf(parent)}/${String(pathId)}`);
          for (const [id, file] of files)
            expect((await send('super', 'GET', `/upload/files/${String(file)}`)).body.folderPath).to.equal(pathOf(id));
          for (const id of folderIds) expect(stored.find(({ _id }) => Number(_id) === id)?.['parent']).to.equal(destination);
        });
    });
    it('are deleted with what their parents say is inside, whatever path is stored', async () => {
      const [one, two] = [await folder('One'), await folder('Two')];
      const inner = await folder('Inner', one);
      const file = await uploadAs('super', 'kept.txt');
      await data('super', 'POST', '/upload/actions/bulk-move', { fileIds: [file], destinationFolderId: inner });
      const { path } = await data('super', 'GET', `/upload/folders/${String(two)}`);
      const folders = serving.database.db.collection<{ _id: number }>('upload_folders');
      await folders.updateOne({ _id: inner }, { $set: { path: `${path}/9` } });
      await data('super', 'POST', '/upload/actions/bulk-delete', { folderIds: [two] });
      expect((await send('super', 'GET', `/upload/files/${String(file)}`)).status).to.equal(200);
      await data('super', 'POST', '/upload/actions/bulk-delete', { folderIds: [one] });
      expect((await send('super', 'GET', `/upload/files/${String(file)}`)).status).to.equal(404);
    });
    it('move one at a time, so that two moves at once make no circle', async () => {
      const [x, y] = [await folder('X'), await folder('Y')];
      const move = (id: number, parent: number) => send('super', 'PUT', `/upload/folders/${String(id)}`, { parent });
      const statuses = (await Promise.all([move(x, y), move(y, x)])).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).to.have.length.at.most(1);
      const names = JSON.stringify(await data('super', 'GET', '/upload/folder-structure'));
      expect(names).to.include('"X"').and.include('"Y"');
    });
  });

  describe('a file in a folder', () => {
    const infos: readonly (readonly [title: string, info: object | null, place: 'folder' | 'top'])[] = [
      ['stays without information', null, 'folder'],
      ['stays if the information names no folder', { caption: 'a' }, 'folder'],
      ['moves to the top if the dialog names it', { caption: 'a', folder: null }, 'top'],
    ];
    for (const content of ['new content', null])
      for (const [title, info, place] of infos.filter(([, given]) => given !== null || content !== null))
        it(`${title}, with ${content ?? 'no content'}`, async () => {
          const id = await folder(`of a file that ${title}, with ${content ?? 'no content'}`);
          const file = await uploadAs('super', 'one.txt');
          await data('super', 'POST', '/upload/actions/bulk-move', { fileIds: [file], destinationFolderId: id });
          const form = new FormData();
          if (content !== null) form.append('files', new Blob([content], { type: 'text/plain' }), 'two.txt');
          if (info !== null) form.append('fileInfo', JSON.stringify(info));
          await data('super', 'POST', `/upload?id=${String(file)}`, form);
          const { path } = await data('super', 'GET', `/upload/folders/${String(id)}`);
          const read = await data('super', 'GET', `/upload/files/${String(file)}`);
          expect([read.folder?.id, read.folderPath]).to.deep.equal(place === 'folder' ? [id, path] : [undefined, '/']);
        });
  });

  describe('logos', () => {
    const image = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
    const changes: readonly (readonly [field: string, isRemoved: boolean, logos: readonly string[]])[] = [
      ['menuLogo', false, ['menuLogo']],
      ['authLogo', false, ['menuLogo', 'authLogo']],
      ['menuLogo', false, ['menuLogo', 'authLogo']],
      ['menuLogo', true, ['authLogo']],
    ];
    for (const [field, isRemoved, logos] of changes)
      it(`are ${logos.join(' and ')} after ${isRemoved ? 'the removal' : 'an upload'} of ${field}`, async () => {
        const form = new FormData();
        if (isRemoved) form.append(field, '');
        else form.append(field, new Blob([image], { type: 'image/svg+xml' }), 'logo.svg');
        await data('super', 'POST', '/admin/project-settings', form);
        const init = await data('', 'GET', '/admin/init');
        const kept = ['menuLogo', 'authLogo'].filter((name) => (init[name] ?? null) !== null);
        expect(kept).to.deep.equal(logos);
        for (const name of kept) expect((await send('', 'GET', init[name])).status).to.equal(200);
      });
  });

  describe('webhooks', () => {
    const hook = { name: 'hook', headers: {}, events: [] };
    const create = async (url: string) => Number((await data('super', 'POST', '/admin/webhooks', { ...hook, url })).id);
    const wrong = ['example.com', 'ftp://example.com', 'javascript:alert(1)', 'http://example.com:1/', 'http://a b.example'];
    for (const url of wrong)
      it(`refuse the address ${url}`, async () => {
        expect((await send('super', 'POST', '/admin/webhooks', { ...hook, url })).status).to.equal(400);
      });
    it('are called once by the test, without redirects', async () => {
      const seen: unknown[] = [];
      const target = createServer((request, response) => {
        seen.push([request.url, request.headers['x-strapi-event']]);
        response.writeHead(302, { location: '/elsewhere' }).end('moved');
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => target.once('listening', resolve));
      const { port } = target.address() as AddressInfo;
      const id = await create(`http://127.0.0.1:${String(port)}/in`);
      const answered = await data('super', 'POST', `/admin/webhooks/${String(id)}/trigger`, {});
      target.close();
      expect(answered).to.deep.equal({ statusCode: 302, message: 'moved' });
      expect(seen).to.deep.equal([['/in', 'trigger-test']]);
    });
  });

  describe('builder', () => {
    const script = '<script>alert(1)</script>';
    const gadget = (more: object = {}) => ({
      contentType: {
        ...{ displayName: script, singularName: 'gadget', pluralName: 'gadgets', kind: 'collectionType' },
        ...{ draftAndPublish: false, pluginOptions: {}, attributes: { title: { type: 'string' } } },
        ...more,
      },
      components: [],
    });
    const types = '/content-type-builder/content-types';
    const head = (referer?: string) => send('super', 'HEAD', '/_health', undefined, referer === undefined ? {} : { referer });

    it('adds a type at once, with both sides of a relation, and removes both', async () => {
      const memo = { type: 'relation', relation: 'manyToOne', target: 'api::memo.memo', targetAttribute: 'gadgets' };
      const { uid } = await data('super', 'POST', types, gadget({ attributes: { title: { type: 'string' }, memo } }));
      expect((await send('api', 'GET', '/api/gadgets')).status).to.equal(200);
      const attributes = async () => (await data('super', 'GET', `${types}/api::memo.memo`)).schema.attributes;
      expect((await attributes()).gadgets).to.include({ relation: 'oneToMany', target: uid, mappedBy: 'memo' });
      expect((await data('super', 'GET', `${types}/${String(uid)}`)).schema.displayName).to.equal(script);
      await data('super', 'DELETE', `${types}/${String(uid)}`);
      expect(await attributes()).to.have.all.keys('title');
    });
    it('lets the health route fail once after a change, for the panel only', async () => {
      await data('super', 'POST', types, gadget({ singularName: 'widget', pluralName: 'widgets' }));
      const page = 'http://localhost:1337/admin/plugins/content-type-builder';
      const asked = [undefined, 'http://localhost:1337/', 'http://localhost:1337/administration', page, page, undefined];
      const statuses: number[] = [];
      for (const referer of asked) statuses.push((await head(referer)).status);
      expect(statuses).to.deep.equal([204, 204, 204, 503, 204, 204]);
    });
    const wrong: readonly (readonly [title: string, more: object])[] = [
      ['a name that leaves its folder', { singularName: '../../evil', pluralName: 'evils' }],
      ['an unknown kind', { kind: 'x' }],
      ['an unknown component', { attributes: { c: { type: 'component', component: 'no.pe' } } }],
      ['a pattern that is none', { attributes: { t: { type: 'string', regex: '(' } } }],
      [
        'the other side of a relation in the place of another attribute',
        {
          attributes: { m: { type: 'relation', relation: 'oneToOne', target: 'api::memo.memo', targetAttribute: 'title' } },
        },
      ],
    ];
    for (const [title, more] of wrong)
      it(`refuses ${title}, in its own form`, async () => {
        const { status, body } = await send('super', 'POST', types, gadget(more));
        expect(status).to.equal(400);
        expect(body).to.have.all.keys('error');
      });
    for (const uid of ['admin::user', 'plugin::upload.file'])
      it(`does not change ${uid}`, async () => {
        expect((await send('super', 'DELETE', `${types}/${uid}`)).status).to.equal(404);
        expect((await send('super', 'PUT', `${types}/${uid}`, gadget())).status).to.equal(404);
      });
    it('does not remove users', async () => {
      expect((await send('super', 'DELETE', `${types}/plugin::users-permissions.user`)).status).to.equal(404);
    });
  });

  it('keeps the actions of a role of users that the panel does not list, unless a request names them', async () => {
    const roles = '/users-permissions/roles';
    const tree = (api: string, controller: string, granted: Readonly<Record<string, boolean>>) => ({
      [`plugin::${api}`]: {
        controllers: {
          [controller]: Object.fromEntries(Object.entries(granted).map(([name, enabled]) => [name, { enabled, policy: '' }])),
        },
      },
    });
    const own = (enabled: boolean) => ({
      ...tree('upload', 'content-api', { replace: enabled }),
      ...tree('users-permissions', 'user', { deleteMe: enabled }),
    });
    await data('super', 'POST', roles, { name: 'Own', permissions: own(true) });
    const { roles: all } = await data('super', 'GET', roles);
    const { id } = all.find(({ name }: { readonly name: string }) => name === 'Own');
    const granted = async (): Promise<string[]> => {
      const rows = await serving.database.db.collection('up_permissions').find({ role: id }).toArray();
      return rows.map(({ action }) => String(action).replace(/^.*\./, '')).sort();
    };
    const { permissions: listed } = (await data('super', 'GET', `${roles}/${String(id)}`)).role;
    expect(listed['plugin::upload'].controllers['content-api']).to.have.keys('find', 'findOne', 'destroy', 'upload');
    await data('super', 'PUT', `${roles}/${String(id)}`, { permissions: tree('upload', 'content-api', { find: true }) });
    expect(await granted()).to.deep.equal(['deleteMe', 'find', 'replace']);
    await data('super', 'PUT', `${roles}/${String(id)}`, { permissions: own(false) });
    expect(await granted()).to.deep.equal([]);
  });
});
