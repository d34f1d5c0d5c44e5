import { expect } from 'chai';
import { createLog, type Log } from '../../support/create-log.js';
import { adminToken, article, type Previewing, servePreview } from './serve-preview.js';

const path = '/admin/api/preview-tokens';

describe('preview tokens', () => {
  let previewing: Previewing;
  let log: Log;

  before(async () => {
    const handler = (uid: string, { id, locale, status }: { id: number; locale: string | null; status: string }): unknown => {
      if (id === 1) throw new Error('the handler is broken');
      if (id === 3) return 'https://elsewhere.test/';
      return Promise.resolve(`https://front.test/preview?uid=${uid}&id=${String(id)}&locale=${String(locale)}&status=${status}`);
    };
    log = await createLog();
    previewing = await servePreview([], {
      config: { admin: { preview: { enabled: true, config: { allowedOrigins: ['https://front.test'], handler } } } },
      logger: log.logger,
    });
  });
  after(() => previewing.serving.stop());

  const status = async (token: string): Promise<number> => (await previewing.read('/api/articles/2', token)).status;

  it('come with the address of a page, which has the token', async () => {
    const { send } = previewing;
    const { body } = await send('editor', 'POST', path, { uid: article, id: 2, expiresIn: 60 });
    const { token, url, expiresAt } = body.data;
    expect(Object.fromEntries(new URL(String(url)).searchParams)).to.deep.equal({
      ...{ uid: article, id: '2', locale: 'null', status: 'draft', previewToken: token },
    });
    expect(Date.parse(String(expiresAt)) - Date.now()).to.be.within(1, 60_000);
    expect(await status(String(token))).to.equal(200);
  });

  it('are refused with the reason if the handler fails or names a page of another origin, which is logged', async () => {
    const { send } = previewing;
    const broken = await send('editor', 'POST', path, { uid: article, id: 1 });
    expect(broken.status).to.equal(400);
    expect(broken.body.error.message).to.include('handler').and.not.include('broken');
    expect(JSON.stringify(log.lines)).to.include('the handler is broken');
    const foreign = await send('editor', 'POST', path, { uid: article, id: 3 });
    expect(foreign.body.error.message).to.include('https://elsewhere.test').and.include('allowedOrigins');
  });

  it('need an administrator who may read the entry', async () => {
    const { send, serving } = previewing;
    expect((await send('owner', 'POST', path, { uid: article, id: 2 })).status).to.equal(403);
    expect((await send('editor', 'POST', path, { uid: 'api::page.page', id: 1 })).status).to.equal(403);
    expect((await send('editor', 'POST', path, { uid: article, id: 99 })).status).to.equal(404);
    expect((await send('editor', 'POST', path, { uid: 'api::gone.gone', id: 1 })).status).to.equal(404);
    for (const body of [{ uid: article }, { uid: article, id: 2, expiresIn: 3601 }, { uid: article, id: 2, expiresIn: 0 }])
      expect((await send('editor', 'POST', path, body)).status, JSON.stringify(body)).to.equal(400);
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ uid: article, id: 2 });
    expect((await fetch(`${serving.server.url}${path}`, { method: 'POST', headers, body })).status).to.equal(403);
  });

  it('end when they are deleted, expire, or are not those of the service', async () => {
    const { send, serving } = previewing;
    const { id, token } = (await send('editor', 'POST', path, { uid: article, id: 2 })).body.data;
    expect(await status(token)).to.equal(200);
    expect((await send('super', 'DELETE', `${path}/${String(id)}`)).status).to.equal(404);
    expect((await send('editor', 'DELETE', `${path}/${String(id)}`)).status).to.equal(200);
    expect(await status(token)).to.equal(401);
    const short = (await send('editor', 'POST', path, { uid: article, id: 2, expiresIn: 1 })).body.data.token;
    const tokens = serving.database.db.collection('_preview_tokens');
    await tokens.updateMany({ _id: short.split('.')[0] }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await status(short)).to.equal(401);
    const good = await previewing.tokenFor('editor', 2);
    for (const wrong of ['', 'x', `${good}x`, good.replace(/..$/, good.endsWith('AA') ? 'BA' : 'AA'), good.slice(0, 17)])
      expect(await status(wrong), wrong).to.equal(401);
    expect((await previewing.read(`/api/articles/2?previewToken=${good}`, `${good}x`)).status).to.equal(400);
  });

  it('are at most a hundred of an editor, of which a further one ends the oldest', async () => {
    const first = await previewing.tokenFor('super', 2);
    const others = await Promise.all(Array.from({ length: 99 }, () => previewing.tokenFor('super', 2)));
    expect(await status(first)).to.equal(200);
    await previewing.tokenFor('super', 2);
    expect(await status(first)).to.equal(401);
    expect(await status(others[98] ?? '')).to.equal(200);
  });

  it('are stored as hashes, and neither logged nor kept', async () => {
    const token = await previewing.tokenFor('editor', 2);
    const answer = await previewing.read(`/api/articles/2?previewToken=${token}`);
    expect(answer.headers.get('cache-control')).to.equal('private, no-store');
    expect(answer.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(answer.headers.has('etag')).to.equal(false);
    const refused = await previewing.read(`/api/articles/3?previewToken=${token}`);
    expect(refused.status).to.equal(403);
    expect(refused.headers.get('cache-control')).to.equal('private, no-store');
    const { db } = previewing.serving.database;
    const secret = token.split('.')[1] ?? '';
    for (const { name } of await db.listCollections().toArray())
      expect(JSON.stringify(await db.collection(name).find().toArray()), name).to.not.include(secret);
    expect(JSON.stringify(log.lines)).to.not.include(secret);
  });

  it('are refused by requests that may write', async () => {
    const token = await previewing.tokenFor('super', 2);
    const { url } = previewing.serving.server;
    for (const [method, to] of [
      ['POST', '/api/articles'],
      ['PUT', '/api/articles/2'],
      ['DELETE', '/api/articles/2'],
    ] as const) {
      const init = { method, body: '{"data":{}}', headers: { 'content-type': 'application/json' } };
      const byHeader = await fetch(`${url}${to}`, { ...init, headers: { ...init.headers, 'x-preview-token': token } });
      expect([400, 401], `${method} ${to}`).to.include(byHeader.status);
      const byParameter = await fetch(`${url}${to}?previewToken=${token}`, init);
      expect([400, 401], `${method} ${to}`).to.include(byParameter.status);
      expect(await byParameter.text()).to.not.include(token);
    }
    expect(await status(token)).to.equal(200);
  });

  it('end with the permission or the role of their editor, and with a new password', async () => {
    const { send, tokenFor } = previewing;
    const users = (await send('super', 'GET', '/admin/users')).body.data.results as readonly {
      readonly id: number;
      readonly email: string;
      readonly roles: readonly { readonly id: number }[];
    }[];
    const [editor, owner] = ['editor', 'owner'].map((name) => users.find(({ email }) => email.startsWith(name)));
    const [user, role, other] = [editor?.id, editor?.roles[0]?.id, owner?.roles[0]?.id].map(String);
    const permissionsPath = `/admin/roles/${String(role)}/permissions`;
    const stored = (await send('super', 'GET', permissionsPath)).body.data as readonly Record<string, unknown>[];
    const permissions = stored.map(({ action, subject, properties, conditions }) => ({
      action,
      subject,
      properties,
      conditions,
    }));
    const setUser = (values: object) => send('super', 'PUT', `/admin/users/${String(user)}`, values);
    const setPermissions = (list: unknown) => send('super', 'PUT', permissionsPath, { permissions: list });
    const endings = [
      [() => setPermissions([]), () => setPermissions(permissions)],
      [() => setUser({ roles: [Number(other)] }), () => setUser({ roles: [Number(role)] })],
    ] as const;
    for (const [end, undo] of endings) {
      const token = await tokenFor('super', 2);
      const own = await tokenFor('editor', 2);
      expect(await status(own)).to.equal(200);
      expect((await end()).status).to.equal(200);
      expect([await status(own), await status(token)]).to.deep.equal([401, 200]);
      expect((await undo()).status).to.equal(200);
    }
    const { id } = (await send('owner', 'POST', `/content-manager/collection-types/${article}`, { title: 'Own' })).body as {
      id: number;
    };
    const token = await tokenFor('owner', id);
    const read = async () => (await previewing.read(`/api/articles/${String(id)}`, token)).status;
    expect(await read()).to.equal(200);
    expect((await send('super', 'PUT', `/admin/users/${String(owner?.id)}`, { password: 'Password2' })).status).to.equal(200);
    expect(await read()).to.equal(401);
  });

  it('end at once when their editor is blocked, or may not read the entry any more', async () => {
    const { send, tokenFor } = previewing;
    const token = await tokenFor('editor', 2);
    expect(await status(token)).to.equal(200);
    const users = (await send('super', 'GET', '/admin/users')).body.data.results as readonly { id: number; email: string }[];
    const { id } = users.find(({ email }) => email.startsWith('editor')) ?? { id: 0 };
    const reading = Array.from({ length: 20 }, () => status(token));
    expect((await send('super', 'PUT', `/admin/users/${String(id)}`, { isActive: false })).status).to.equal(200);
    expect(await status(token)).to.equal(401);
    for (const one of await Promise.all(reading)) expect([200, 401]).to.include(one);
    expect((await send('super', 'PUT', `/admin/users/${String(id)}`, { isActive: true })).status).to.equal(200);
  });
});
