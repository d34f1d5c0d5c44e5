import { expect } from 'chai';
import { Instance } from '../../../scripts/prove/sync/process.js';
import { adminToken, sendAs } from '../../content/rights/serve-accounts.js';
import { freshDatabase } from '../../support/mongo.js';

describe('the process that writes the change log', () => {
  it('is replaced when it is killed, and clients of others miss nothing', async () => {
    const database = await freshDatabase();
    const writer = await Instance.start(database.uri, true); // the first to start
    const log = database.db.collection<{ _id: string; token?: string; written?: Date }>('_changes');
    while ((await log.findOne({ _id: 'log' })) === null);
    const other = await Instance.start(database.uri, false);
    const created = await sendAs(adminToken, 'POST', `${other.url}/admin/api/tokens`, { name: 'all', type: 'full-access' });
    const { accessKey } = created.body.data as { readonly accessKey: string };
    const get = (query: string) => sendAs(accessKey, 'GET', `${other.url}/api/sync/authors?${query}`);
    const first = await get('');
    const waiting = get(`token=${String(first.body.meta.sync.token)}&wait=55`);
    await writer.kill();
    await sendAs(accessKey, 'POST', `${other.url}/api/authors`, { data: { name: 'late' } });
    const { body } = await waiting;
    expect(body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)).to.deep.equal(['late']);
    await other.kill();
    await database.drop();
  });
});
