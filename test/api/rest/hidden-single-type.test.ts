import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';

const home = { ...collectionType('home', { title: { type: 'string' } }), kind: 'singleType' };

describe('a write of a single type whose entry a rule hides', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serveAccounts({ models: [home] });
  });
  after(() => server.stop());

  it('is a 404, alone and in a transaction', async () => {
    const { jwt } = await server.addUser('ann');
    const { accessKey } = (await server.admin('POST', '/tokens', { name: 'full', type: 'full-access' })).body.data;
    const body = { data: { title: 'shown' } };
    expect((await server.as(accessKey, 'PUT', '/api/home', { data: { title: 'hidden' } })).status).to.equal(200);
    await server.admin('PUT', '/roles/1', { actions: ['api::home.home.update', 'api::home.home.find'] });
    await server.admin('PUT', '/roles/1/rules', { rows: { 'api::home.home': { title: { $eq: 'shown' } } } });
    const requests = [{ method: 'PUT', path: '/home', body }];
    const batch = (token: string) => server.as(token, 'POST', '/api/batch', { transaction: true, requests });
    expect([(await server.as(jwt, 'PUT', '/api/home', body)).status, (await batch(jwt)).status]).to.eql([404, 404]);
    expect((await batch(accessKey)).status).to.equal(200);
    expect((await batch(jwt)).status).to.equal(200);
  });
});
