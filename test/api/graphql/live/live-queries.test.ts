import { expect } from 'chai';
import { syncModels } from '../../sync/sync-models.js';
import { type Result, serveLive, type ServingLive } from './serve-live.js';

const post = 'api::post.post';
const live = 'query @live { posts(sort: "id") { data { id attributes { title } } } }';
const changes = 'subscription { postsChanges { op id } }';
const isUpToDate = (result: Result): boolean => result.data?.postsChanges.op === 'uptodate';

describe('live queries', () => {
  let server: ServingLive;
  let ann: { readonly id: number; readonly jwt: string };
  let reads: unknown[];

  before(async () => {
    server = await serveLive({
      config: {
        api: { sync: { connectionsPerCaller: 100 }, ratelimit: { enabled: true, identity: 100_000, interval: 86_400_000 } },
      },
    });
    await server.admin('PUT', '/roles/1', { actions: [`${post}.find`] });
    ann = await server.addUser('ann');
    server.server.backend?.store.database.client.on(
      'commandStarted',
      ({ command }: { command: { find?: unknown; aggregate?: unknown } }) => {
        if ([command.find, command.aggregate].includes('posts')) reads.push(command);
      },
    );
  });
  beforeEach(() => {
    reads = [];
  });
  after(() => server.stop());

  const create = async (title: string): Promise<number> => {
    const data = { title, publishedAt: new Date().toISOString() };
    return (await server.as(server.editor, 'POST', '/api/posts', { data })).body.data.id;
  };
  const put = (path: string, data: object) => server.as(server.editor, 'PUT', `/api/${path}`, { data });
  const withRevision = (expected: number) => (result: Result) => result.revision === expected;

  it('that are equal are read once for each change', async () => {
    const id = await create('one');
    for (let count = 0; count < 5; count += 1) await create('another entry, so that a patch is shorter than all of them');
    const listeners = await Promise.all(Array.from({ length: 40 }, () => server.over.events({ query: live }, ann.jwt)));
    for (const { until } of listeners) await until(withRevision(1));
    await server.settled();
    await server.logged();
    reads = [];
    await put(`posts/${String(id)}`, { title: 'two' });
    for (const { until } of listeners)
      expect((await until(withRevision(2))).at(-1).patch).to.deep.equal([
        { op: 'replace', path: '/data/posts/data/0/attributes/title', value: 'two' },
      ]);
    // the write reads the entry before it changes it; a change that the change stream reports late is read once more
    expect(reads.length).to.be.within(1, 4);
    for (const { close } of listeners) close();
  });

  it('are not read again after changes of other collections', async () => {
    const received = await server.over.socket({ query: live }, ann.jwt);
    await received.until(withRevision(1));
    await server.settled();
    reads = [];
    await server.as(server.editor, 'POST', '/api/tags', { data: { name: 'red' } });
    await server.logged();
    const other = await server.over.socket({ query: 'query @live { tags { data { id } } }' });
    await other.until(withRevision(1));
    await server.as(server.editor, 'POST', '/api/tags', { data: { name: 'blue' } });
    await other.until(withRevision(2));
    expect(reads).to.deep.equal([]);
    received.close();
    other.close();
  });

  it('charge the caller for each reading', async () => {
    const points = async (): Promise<number> => {
      const counts = server.database.db.collection<{ points: number }>('_requests');
      return (await counts.findOne({ key: `user ${String(ann.id)}` }))?.points ?? 0;
    };
    const id = await create('charged');
    const received = await server.over.parts({ query: live }, ann.jwt);
    await received.until(withRevision(1));
    const before = await points();
    await put(`posts/${String(id)}`, { title: 'charged twice' });
    await received.until(withRevision(2));
    expect(await points()).to.be.greaterThan(before);
    received.close();
  });

  it('show what the caller may see now, after a change of rights', async () => {
    await create('ruled');
    const received = await server.over.events({ query: live }, ann.jwt);
    await received.until(withRevision(1));
    await server.admin('PUT', '/roles/1/rules', { rows: { [post]: { title: { $eq: 'ruled' } } } });
    const [second] = await received.until(withRevision(2));
    const titles = (result: Result): readonly string[] => result.data.posts.data.map((one: Result) => one.attributes.title);
    if (second.patch === undefined) expect(titles(second)).to.deep.equal(['ruled']);
    else expect(second.patch.every(({ op }: Result) => op === 'remove')).to.equal(true);
    await server.admin('PUT', '/roles/1', { actions: [] });
    const third = (await received.until(withRevision(3))).at(-1);
    expect(third.errors[0].message).to.equal('Forbidden access');
    received.close();
    await server.admin('PUT', '/roles/1', { actions: [`${post}.find`] });
    await server.admin('PUT', '/roles/1/rules', {});
  });

  it('go on in the models that are in force', async () => {
    const following = await server.over.socket({ query: changes });
    await following.until(isUpToDate);
    const received = await server.over.socket({ query: live });
    await received.until(withRevision(1));
    const [model] = syncModels;
    const attributes = { ...(model?.['attributes'] as object), subtitle: { type: 'string' } };
    const { uid = '', ...rest } = { ...model, attributes };
    await server.admin('PUT', `/models/${uid}`, rest);
    expect((await following.until(() => true))[0].data.postsChanges.op).to.equal('reset');
    const id = await create('later');
    await put(`posts/${String(id)}`, { subtitle: 'new' });
    const again = await server.over.events({ query: 'subscription { postsChanges { op entry { attributes { subtitle } } } }' });
    const all = await again.until(isUpToDate);
    expect(all.map(({ data }) => data.postsChanges.entry?.attributes.subtitle)).to.include('new');
    const text = JSON.stringify(await received.until((result: Result) => JSON.stringify(result).includes('later')));
    expect(text).to.contain('later');
    for (const { close } of [following, received, again]) close();
  });

  it('end with the service, without being complete', async () => {
    const own = await serveLive();
    const held = [
      await own.over.events({ query: live }),
      await own.over.parts({ query: changes }),
      await own.over.socket({ query: live }),
    ];
    for (const { until } of held) await until(() => true);
    await own.stop();
    for (const { ended } of held) expect(await ended).to.equal(false);
    expect(held[2]?.results.at(-1).closed).to.equal(1001);
  });
});
