import { expect } from 'chai';
import { adminToken } from '../../content/rights/serve-accounts.js';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { serveModels, type Serving } from '../../support/serve.js';

describe('routes of the admin API for administrators of the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models: [], config: { admin: { rateLimit: { enabled: false }, token: adminToken } } });
    send = await openAdministrators(serving, { editor: [[]] });
  });
  after(() => serving.stop());

  const statusWith = async (authorization: string): Promise<number> => {
    const response = await fetch(`${serving.server.url}/admin/api/panel`, { headers: { authorization } });
    return response.status;
  };

  it('take their tokens and admin tokens', async () => {
    const { status, body } = await send('editor', 'GET', '/admin/api/panel');
    expect([status, body.data.schedule]).to.deep.equal([200, true]);
    expect(await statusWith(`Bearer ${adminToken}`)).to.equal(200);
  });

  it('refuse parameters that they do not have', async () => {
    expect((await send('editor', 'GET', '/admin/api/panel?all=1')).status).to.equal(400);
  });

  it('answer everybody else as all paths do', async () => {
    const { body } = await send('super', 'POST', '/admin/api-tokens', { name: 'all', type: 'full-access', lifespan: null });
    for (const token of ['', 'wrong', 'eyJhbGciOiJIUzI1NiJ9.e30.x', String(body.data.accessKey)]) {
      const headers = { authorization: `Bearer ${token}` };
      const [known, unknown] = await Promise.all(
        ['panel', 'nothing'].map(async (path) => {
          const response = await fetch(`${serving.server.url}/admin/api/${path}`, { headers });
          return [response.status, response.headers.get('www-authenticate'), await response.text()];
        }),
      );
      expect(known?.[0]).to.equal(401);
      expect(known).to.deep.equal(unknown);
    }
  });

  it('are closed to an administrator who was blocked', async () => {
    const { body } = await send('super', 'GET', '/admin/users?pageSize=50');
    const editor = (body.data.results as { id: number; firstname: string }[]).find(({ firstname }) => firstname === 'editor');
    const path = `/admin/users/${String(editor?.id)}`;
    expect((await send('super', 'PUT', path, { isActive: false })).status).to.equal(200);
    expect((await send('editor', 'GET', '/admin/api/panel')).status).to.equal(401);
  });

  it('are the only ones: all others need an admin token', async () => {
    for (const path of ['/admin/api', '/admin/api/models', '/admin/api/audit', '/admin/api/nothing'])
      expect((await send('super', 'GET', path)).status).to.equal(401);
  });
});
