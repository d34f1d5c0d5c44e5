import { expect } from 'chai';
import { type Received, type Result, type Send, serveLive, type ServingLive } from './serve-live.js';

const post = 'api::post.post';
const author = 'api::author.author';

const changes = `subscription ($token: String, $filters: PostFiltersInput) {
  postsChanges(token: $token, filters: $filters) {
    op id token
    entry { id attributes { title author { data { id attributes { name } } } } }
  }
}`;

const isUpToDate = (result: Result): boolean => result.data?.postsChanges.op === 'uptodate';
const opsOf = (results: readonly Result[]): readonly unknown[] =>
  results.map(({ data: { postsChanges } }) => [postsChanges.op, postsChanges.id, postsChanges.entry?.attributes.title]);

describe('operations that last', () => {
  let server: ServingLive;
  let ids: number[];

  before(async () => {
    server = await serveLive();
    ids = [];
    for (const title of ['a', 'b', 'c']) ids.push(await create(title));
    await server.logged();
  });
  after(() => server.stop());

  const create = async (title: string, data: object = {}): Promise<number> => {
    const publishedAt = new Date().toISOString();
    const { body } = await server.as(server.editor, 'POST', '/api/posts', { data: { title, publishedAt, ...data } });
    return body.data.id;
  };
  const put = (id: number, data: object) => server.as(server.editor, 'PUT', `/api/posts/${String(id)}`, { data });
  const remove = (id: number) => server.as(server.editor, 'DELETE', `/api/posts/${String(id)}`);

  const transports: readonly (readonly [name: keyof ServingLive['over'], type: RegExp])[] = [
    ['events', /^text\/event-stream/],
    ['parts', /^multipart\/mixed;\s*boundary="graphql";\s*subscriptionSpec=1.0/],
    ['socket', /^websocket$/],
  ];
  for (const [name, type] of transports)
    describe(`over ${name}`, () => {
      const send: Send = (...given) => server.over[name](...given);
      const all: Received[] = [];
      const subscribe: Send = async (...given) => {
        const received = await send(...given);
        all.push(received);
        return received;
      };
      afterEach(() => {
        for (const received of all.splice(0)) received.close();
      });

      it('send all entries, then their changes, and go on after a token', async () => {
        const received = await subscribe({ query: changes });
        expect(received.type).to.match(type);
        const first = await received.until(isUpToDate);
        expect(opsOf(first)).to.deep.equal([
          ...ids.map((id, index) => ['upsert', String(id), ['a', 'b', 'c'][index]]),
          ['uptodate', null, undefined],
        ]);
        const id = await create('d');
        expect(opsOf(await received.until(isUpToDate))[0]).to.deep.equal(['upsert', String(id), 'd']);
        await put(id, { title: 'e' });
        const changed = await received.until(isUpToDate);
        expect(opsOf(changed)[0]).to.deep.equal(['upsert', String(id), 'e']);
        received.close();
        await remove(id);
        await server.logged();
        const token = changed.at(-1).data.postsChanges.token as string;
        const again = await subscribe({ query: changes, variables: { token } });
        expect(opsOf(await again.until(isUpToDate))).to.deep.equal([
          ['delete', String(id), undefined],
          ['uptodate', null, undefined],
        ]);
      });

      it('send entries again whose related entries have changed', async () => {
        const { body } = await server.as(server.editor, 'POST', '/api/authors', {
          data: { name: 'Ann', publishedAt: new Date().toISOString() },
        });
        const id = await create('by Ann', { author: body.data.id });
        await server.logged();
        const received = await subscribe({ query: changes, variables: { filters: { title: { eq: 'by Ann' } } } });
        await received.until(isUpToDate);
        await server.as(server.editor, 'PUT', `/api/authors/${String(body.data.id)}`, { data: { name: 'Anna' } });
        const [upsert] = await received.until(isUpToDate);
        expect(upsert.data.postsChanges.entry.attributes.author.data.attributes.name).to.equal('Anna');
        await put(id, { title: 'by nobody' });
        expect(opsOf(await received.until(isUpToDate))[0]).to.deep.equal(['delete', String(id), undefined]);
        await remove(id);
      });

      it('tell a client to begin anew with a token of something else', async () => {
        const received = await subscribe({ query: changes, variables: { token: 'nonsense' } });
        const [reset] = await received.until(() => true);
        expect(reset.data.postsChanges).to.deep.equal({ op: 'reset', id: null, token: null, entry: null });
        expect(await received.ended).to.equal(true);
      });

      it('send an answer, and then what has changed in it', async () => {
        const received = await subscribe({ query: 'query @live { posts { data { id attributes { title rating } } } }' });
        const [first] = await received.until(({ revision }) => revision === 1);
        expect(first.data.posts.data.map((one: Result) => one.attributes.title)).to.deep.equal(['a', 'b', 'c']);
        await put(ids[1] ?? 0, { rating: 5 });
        expect(await received.until(({ revision }) => revision === 2)).to.deep.equal([
          { revision: 2, patch: [{ op: 'replace', path: '/data/posts/data/1/attributes/rating', value: 5 }] },
        ]);
        await put(ids[1] ?? 0, { rating: null });
        await received.until(({ revision }) => revision === 3);
      });

      it('send the errors of operations that are not valid', async () => {
        const received = await send({ query: 'subscription { nothing { op } }' });
        if (name === 'parts') {
          expect(received.status).to.equal(400);
          expect(received.text).to.contain('nothing');
        } else expect((await received.until(() => true))[0].errors[0].message).to.contain('nothing');
      });

      it('are refused without the right to read the entries', async () => {
        const received = await subscribe({ query: changes }, null);
        const isRefused = JSON.stringify((await received.until(() => true).catch(() => [received.text]))[0]);
        expect(`${String(received.status)} ${isRefused}`).to.match(/Forbidden|403|401/);
      });

      it('refuse attributes whose changes are not followed', async () => {
        const query = 'subscription { postsChanges { entry { attributes { notes { data { id } } } } } }';
        const [refused] = await (await subscribe({ query })).until(() => true);
        expect(refused.errors[0].message).to.contain('Invalid parameter notes').and.contain('@live');
      });

      it('have one result for operations that do not last', async () => {
        const received = await send({ query: '{ post(id: "1") { data { id } } }' });
        if (name === 'parts') expect(JSON.parse(received.text)).to.deep.equal({ data: { post: { data: { id: '1' } } } });
        else {
          expect(await received.until(() => true)).to.deep.equal([{ data: { post: { data: { id: '1' } } } }]);
          expect(await received.ended).to.equal(true);
        }
      });
    });

  for (const query of ['subscription { postsChanges { op } }', 'query @live { posts { data { id } } }'])
    it(`are a 400 that names the transports with JSON: ${query}`, async () => {
      const { status, body } = await server.as(server.editor, 'POST', '/graphql', { query });
      expect(status).to.equal(400);
      expect(body.errors[0].message).to.match(/text\/event-stream.*subscriptionSpec=1\.0.*graphql-transport-ws/);
    });

  it('follow the rights of roles', async () => {
    await server.admin('PUT', '/roles/1', { actions: [`${post}.find`, `${author}.find`] });
    const { jwt } = await server.addUser('ann');
    await server.logged();
    const received = await server.over.events({ query: changes }, jwt);
    await received.until(isUpToDate);
    await server.admin('PUT', '/roles/1', { actions: [] });
    const [reset] = await received.until(() => true);
    expect(reset.data.postsChanges.op).to.equal('reset');
  });
});
