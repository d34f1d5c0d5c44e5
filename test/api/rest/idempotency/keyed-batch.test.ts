import { expect } from 'chai';
import { serveModels, type Serving } from '../../../support/serve.js';

const note = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { requireIdempotencyKey: true },
  attributes: { title: { type: 'string', required: true } },
};

describe('batches with an Idempotency-Key', () => {
  let server: Serving;
  before(async () => {
    server = await serveModels({ models: [note] });
  });
  after(() => server.stop());

  const create = (title: string | null) => ({ method: 'POST', path: '/notes', body: { data: { title } } });
  const send = async (key: string | null, transaction: boolean, requests: readonly object[]) => {
    const answer = await fetch(`${server.server.url}/api/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }) },
      body: JSON.stringify({ transaction, requests }),
    });
    return { status: answer.status, body: (await answer.json()) as { readonly data: readonly { readonly status: number }[] } };
  };
  const count = async (): Promise<number> => (await server.call('GET', '/api/notes/count')).body.data.count;

  for (const transaction of [true, false])
    it(`write once, ${transaction ? 'in one transaction' : 'each write on its own'}`, async () => {
      const before = await count();
      const key = `a-key-of-a-batch-${String(transaction)}`;
      const first = await send(key, transaction, [create('one'), create('two')]);
      expect([first.status, first.body.data.map(({ status }) => status)]).to.deep.equal([200, [200, 200]]);
      expect(await send(key, transaction, [create('one'), create('two')])).to.deep.equal(first);
      expect(await count()).to.equal(before + 2);
    });

  it('evaluate writes anew that were refused, and repeat the others', async () => {
    const before = await count();
    const send2 = () => send('a-key-of-a-batch-with-a-mistake', false, [create('one'), create(null)]);
    const first = await send2();
    expect(first.body.data.map(({ status }) => status)).to.deep.equal([200, 400]);
    expect(await send2()).to.deep.equal(first);
    expect(await count()).to.equal(before + 1);
  });

  it('count as keys of their writes, whose types may demand one', async () => {
    expect((await send(null, true, [create('one')])).status).to.equal(400);
    expect((await send(null, false, [create('one')])).body.data[0]?.status).to.equal(400);
  });
});
