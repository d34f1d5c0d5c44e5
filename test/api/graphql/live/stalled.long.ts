import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { serveLive, type ServingLive } from './serve-live.js';

describe('a client that takes nothing', () => {
  let server: ServingLive;

  before(async () => {
    server = await serveLive();
    const entry = (_id: number) => ({ _id, title: 'x'.repeat(200_000), locale: 'en', publishedAt: new Date() });
    const entries = Array.from({ length: 120 }, (_, index) => entry(index + 1));
    await server.database.db.collection<{ _id: number }>('posts').insertMany(entries);
    await server.logged();
  });
  after(() => server.stop());

  it('is told to begin anew, in the place of what waits for it', async () => {
    const sent = request(`${server.server.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${server.editor}`,
      },
    });
    sent.end(JSON.stringify({ query: 'subscription { postsChanges { op id entry { attributes { title } } } }' }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await delay(30_000); // three times as long as the service waits
    let text = '';
    for await (const bytes of response) text += String(bytes as Buffer);
    expect(text.split('"op":"upsert"').length - 1).to.be.lessThan(120);
    expect(text).to.match(/"op":"reset","id":null,"entry":null\}\}\}\n\nevent: complete\ndata: \n\n$/);
  });
});
