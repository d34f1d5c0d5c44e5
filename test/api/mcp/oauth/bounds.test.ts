import { expect } from 'chai';
import { findClient, keepClient, storeDocument } from '#api/mcp/oauth/clients.js';
import { fetchDocument } from '#api/mcp/oauth/fetch-document.js';
import { projectTools } from '#api/mcp/project-tools.js';
import { jwtSecret, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { cookieIn, formIn, get, pkce, post, registerClient, request, serveOAuth } from './flow.js';

describe('bounds of OAuth', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serveOAuth();
  });
  after(() => server.stop());

  const databaseOf = () => server.server.backend?.store.database ?? expect.fail('the service has started');

  it('say nothing of the network to those who name a document', async () => {
    const texts = ['https://10.0.0.1/a.json', 'https://nowhere.invalid/a.json', 'https://cms.test:22/a.json'].map(async (id) => {
      const { status, text } = await get(`${server.server.url}/oauth/authorize?${request(id, pkce().challenge).toString()}`);
      expect(status).to.equal(400);
      return text;
    });
    expect(new Set(await Promise.all(texts)).size).to.equal(1);
  });

  it('refuse a log-in on a page if the public may not log in, and say so if the service fails', async () => {
    const client = await registerClient(server);
    const authorize = () => get(`${server.server.url}/oauth/authorize?${request(client, pkce().challenge).toString()}`);
    const page = await authorize();
    const values = { form: formIn(page), identifier: 'ann', password: 'x' };
    await server.admin('PUT', '/roles/2', { actions: ['api::article.article.find'] });
    const refused = await post(`${server.server.url}/oauth/log-in`, values, { cookie: cookieIn(page) });
    expect(refused.status).to.equal(403);
    expect(refused.text).to.include('Access is not possible').and.include('Forbidden');
    await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
    const stored = server.database.db.collection<{ readonly _id: string }>('_oauth_clients');
    await stored.updateOne({ _id: client }, { $set: { redirectUris: null } });
    const failed = await authorize();
    expect(failed.status).to.equal(500);
    expect(failed.text).to.include('Access is not possible').and.include('Internal Server Error');
  });

  it('count log-ins on the page with those over REST', async () => {
    const ratelimit = { max: 3, maxPerClientAndAccount: 100, maxPerAccount: 100 };
    const limited = await serveOAuth({ config: { plugins: { 'users-permissions': { config: { jwtSecret, ratelimit } } } } });
    const client = await registerClient(limited);
    const page = await get(`${limited.server.url}/oauth/authorize?${request(client, pkce().challenge).toString()}`);
    const logIn = () => {
      const values = { form: formIn(page), identifier: 'ann', password: 'wrong' };
      return post(`${limited.server.url}/oauth/log-in`, values, { cookie: cookieIn(page) });
    };
    expect([(await logIn()).status, (await logIn()).status]).to.deep.equal([400, 400]);
    const rest = () => limited.as(null, 'POST', '/api/auth/local', { identifier: 'ann', password: 'wrong' });
    expect((await rest()).status).to.equal(400);
    const refused = await logIn();
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    expect(refused.text).to.include('Too many requests').and.include('name="form"');
    expect((await rest()).status).to.equal(429);
    await limited.stop();
  });

  it('let one sender read few documents at once, and others go on', async () => {
    const ids = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.invalid/x.json`);
    const reads = ids.map((id) => fetchDocument(id, 'one').catch(String));
    const other = fetchDocument('https://e.invalid/x.json', 'two').catch(String);
    const [fourth, ofOther] = [await reads[3], await other];
    expect(fourth).to.equal(undefined);
    expect(ofOther).to.include('Error');
    await Promise.all(reads);
  });

  it('replace the document that was used least recently, and none with a grant', async () => {
    const stored = server.database.db.collection<{ readonly _id: string }>('_oauth_clients');
    const expiresAt = new Date(Date.now() + 3_600_000);
    const parts = { kind: 'document', name: 'x', redirectUris: [], expiresAt } as const;
    const idOf = (index: number): string => `https://c.test/${String(index)}`;
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ _id: idOf(index), ...parts, usedAt: new Date(index) }));
    await stored.insertMany(rows);
    await keepClient(databaseOf(), idOf(0));
    const admit = () => Promise.reject(new Error('the document is stored'));
    await findClient(idOf(1), databaseOf(), { sender: '', admit, report: () => undefined });
    await storeDocument(databaseOf(), { ...parts, _id: 'https://c.test/new' });
    const left = await stored.find({ _id: { $in: [idOf(0), idOf(1), idOf(2), 'https://c.test/new'] } }).toArray();
    expect(left.map(({ _id }) => _id)).to.have.members([idOf(0), idOf(1), 'https://c.test/new']);
  });

  it('offer tools of a project within the scopes that they name', () => {
    const tool = (name: string, scopes?: readonly string[]) => ({
      name,
      title: name,
      description: name,
      inputSchema: {},
      scopes,
    });
    const agentTools = () => [tool('none'), tool('write', ['content:write']), tool('both', ['content:read', 'content:write'])];
    const namesFor = (...scopes: string[]) =>
      projectTools({
        running: { config: { api: { mcp: { readOnly: false } } }, agentTools },
        caller: { kind: 'user', ...(scopes.length > 0 && { scopes: new Set(scopes) }) },
        content: { bind: { access: { grants: { kind: 'actions' } } } },
      } as never).map(({ definition }) => definition.name);
    expect(namesFor()).to.deep.equal(['none', 'write', 'both']);
    expect(namesFor('content:read', 'content:publish')).to.deep.equal([]);
    expect(namesFor('content:write')).to.deep.equal(['write']);
    expect(namesFor('content:write', 'content:read')).to.deep.equal(['write', 'both']);
  });
});
