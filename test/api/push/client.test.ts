import { expect } from 'chai';
import { createClient } from '#client/create-client.js';
import { withSync } from '#client/sync.js';
import { newKey, servePush, type ServingPush } from './push-kit.js';

describe('the typed client of pushes', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush();
  });
  after(() => service.stop());

  it('pushes writes, and again after a lost answer', async () => {
    const sent: RequestInit[] = [];
    const losing = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init);
      sent.push(init ?? {});
      if (sent.length === 1) throw new TypeError('the answer was lost');
      return response;
    };
    const client = withSync(createClient({ url: service.server.url, token: service.full, fetch: losing as typeof fetch }));
    const { data } = await client.push([
      {
        key: newKey(),
        op: 'create',
        type: 'articles',
        id: '$the-first-article',
        set: { title: { to: 'Salt' }, views: { to: 1 } },
      },
      { key: newKey(), op: 'update', type: 'articles', id: '$the-first-article', increment: { views: 1 } },
    ]);
    expect(sent).to.have.length(2);
    expect(data.map(({ status }) => status)).to.deep.equal(['applied', 'applied']);
    expect(data[1]?.attributes).to.include({ title: 'Salt', views: 2 });
    expect(await service.database.db.collection('articles').countDocuments()).to.equal(1);
  });

  it('reads the schema', async () => {
    const client = withSync(createClient({ url: service.server.url, token: service.full }));
    const { data } = await client.syncSchema(['tags']);
    expect(data).to.deep.equal({ tags: { name: 'scalar', createdAt: 'scalar', updatedAt: 'scalar' } });
    expect(Object.keys((await client.syncSchema()).data)).to.include.members(['tags', 'articles']);
  });
});
