import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from '#client/create-client.js';
import { createOffline, memoryStore } from '#client/offline/offline.js';
import { newKey, servePush, type ServingPush } from './push-kit.js';

const interval = 1_000;

describe('pushes and the rate of requests', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush({ config: { api: { ratelimit: { enabled: true, identity: 20, interval } } } });
  });
  after(() => service.stop());

  const writes = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => {
      const key = newKey();
      return { key, op: 'create', type: 'tags', id: `$${key}`, set: { name: { to: String(index) } } };
    });

  for (const [path, name] of [
    ['/sync/push', 'writes'],
    ['/batch', 'requests'],
  ] as const)
    it(`${path}: one with more writes than an interval allows is a 400 that says so, because a 429 would come for ever`, async () => {
      await delay(interval);
      const { status, body } = await service.as(service.full, 'POST', `/api${path}`, { [name]: writes(21) });
      expect([status, body.error.details]).to.deep.equal([400, { setting: 'api.ratelimit.identity', maximum: 20 }]);
      const { headers } = await service.as(service.full, 'GET', '/api/tags');
      expect(headers.get('x-ratelimit-remaining'), 'it counts as one').to.equal('18');
    });

  it('an app with more writes than an interval allows sends all of them', async () => {
    const client = createClient({ url: service.server.url, token: service.full, retries: 0 });
    const offline = createOffline({ client, store: memoryStore(), types: ['tags'], automatic: false });
    for (let name = 1; name <= 30; name += 1) await offline.create('tags', { name: `app ${String(name)}` });
    for (let left = 30; left > 0; left = (await offline.pending()).length) {
      await offline.push().catch(() => undefined);
      await delay(interval / 2);
    }
    expect(await service.database.db.collection('tags').countDocuments({ name: /^app / })).to.equal(30);
    await offline.close();
  });
});
