import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { freshDatabase, type FreshDatabase } from '../../../support/mongo.js';
import { allow, codeExchange, exchange, oauthConfig, refresh, registerClient, serveOAuth, toolsFor } from './flow.js';

describe('OAuth over two instances', () => {
  let database: FreshDatabase;
  let one: ServingAccounts;
  let two: ServingAccounts;
  let client: string;

  before(async () => {
    database = await freshDatabase();
    const first = await serveOAuth({ database });
    await first.addUser('ann');
    await first.stop();
    const serve = () => serveAccounts({ database, config: oauthConfig({}, { server: { url: 'http://cms.test/base' } }) });
    [one, two] = [await serve(), await serve()];
    client = await registerClient(one);
  });
  after(async () => {
    await one.stop();
    await two.stop();
    await database.drop();
  });

  it('names server.url, whatever the request says, with its path', async () => {
    const { answer } = await allow(one, { client });
    expect(answer.headers.get('location')).to.include(`iss=${encodeURIComponent('http://cms.test/base/oauth')}`);
    const { challenge } = await toolsFor(two, null);
    expect(challenge).to.equal('Bearer resource_metadata="http://cms.test/.well-known/oauth-protected-resource/base/mcp"');
    for (const path of ['/.well-known/oauth-authorization-server/base/oauth', '/.well-known/oauth-protected-resource/base/mcp']) {
      const response = await fetch(`${one.server.localUrl}${path}`, { headers: { 'x-forwarded-host': 'evil.test' } });
      expect(await response.text())
        .to.include('http://cms.test/base/')
        .and.not.include('evil.test');
    }
  });

  it('begins a grant at one, and goes on at the other', async () => {
    const { json } = await exchange(two, codeExchange(client, await allow(one, { client })));
    expect((await toolsFor(one, json.access_token)).status).to.equal(200);
    const next = await refresh(one, client, json.refresh_token);
    expect((await toolsFor(two, next.json.access_token)).status).to.equal(200);
  });

  it('accepts a code and a refresh token once, at whichever instance comes first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const values = codeExchange(client, await allow(one, { client }));
      const answers = await Promise.all([one, two, one, two].map((server) => exchange(server, values)));
      expect(answers.filter(({ status }) => status === 200).length).to.be.at.most(1);
      for (const { json } of answers)
        if (json.access_token) expect((await toolsFor(two, json.access_token)).status).to.equal(401);
      const { json } = await exchange(two, codeExchange(client, await allow(one, { client })));
      const next = await Promise.all([one, two, one, two].map((server) => refresh(server, client, json.refresh_token)));
      expect(next.filter(({ status }) => status === 200).length).to.be.at.most(1);
      expect((await toolsFor(one, json.access_token)).status).to.equal(401);
    }
  });

  it('ends a grant at all instances at once', async () => {
    const { json } = await exchange(one, codeExchange(client, await allow(one, { client })));
    expect((await toolsFor(two, json.access_token)).status).to.equal(200);
    const values = new URLSearchParams({ token: json.refresh_token, client_id: client });
    await fetch(`${one.server.localUrl}/oauth/revoke`, { method: 'POST', body: values });
    expect((await toolsFor(two, json.access_token)).status).to.equal(401);
  });
});
