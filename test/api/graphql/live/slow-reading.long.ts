import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { type ScriptDatabase, startEphemeral } from '../../../../scripts/start-database.js';
import { freshDatabase, type FreshDatabase } from '../../../support/mongo.js';
import { serveLive, type Result, type ServingLive } from './serve-live.js';

const post = 'api::post.post';
const live = 'query @live { posts(sort: "id", pagination: { limit: -1 }) { data { id attributes { title } } } }';

describe('live queries whose readings take long, or are many', () => {
  let mongod: ScriptDatabase;
  let database: FreshDatabase;
  let server: ServingLive;
  before(async () => {
    mongod = await startEphemeral(console.log, ['--setParameter', 'enableTestCommands=1']);
    database = await freshDatabase(mongod.uri);
    server = await serveLive({ database, config: { api: { sync: { connectionsPerCaller: 2_000 } } } });
    await server.admin('PUT', '/roles/1', { actions: [`${post}.find`] });
    for (const title of ['a', 'b']) await server.as(server.editor, 'POST', '/api/posts', { data: { title } });
    await server.as(server.editor, 'POST', '/graphql', { query: live.replace(' @live', '') }); // the schema is built
    await server.settled();
  });
  after(async () => {
    await server.stop();
    await database.drop();
    await mongod.stop();
  });

  /** Runs work while each read of posts takes longer. */
  async function slowly<Value>(blockTimeMS: number, work: () => Promise<Value>): Promise<Value> {
    const failPoint = (mode: string, data: object = {}) =>
      database.client.db('admin').command({ configureFailPoint: 'failCommand', mode, data });
    const namespace = `${database.name}.posts`;
    await failPoint('alwaysOn', { failCommands: ['find', 'aggregate'], namespace, blockConnection: true, blockTimeMS });
    try {
      return await work();
    } finally {
      await failPoint('off');
    }
  }

  it('a user who is blocked during the first reading hears nothing', async () => {
    for (const kind of ['events', 'parts', 'socket'] as const) {
      const { id, jwt } = await server.addUser(`blocked-${kind}`);
      await slowly(2_000, async () => {
        const received = await server.over[kind]({ query: live }, jwt);
        await delay(500); // the reading has begun
        await server.admin('PUT', `/users/${String(id)}`, { blocked: true });
        expect(await received.ended).to.equal(false);
        expect(received.results.filter(({ data }) => data !== undefined)).to.deep.equal([]);
      });
    }
  });

  it('rights that are taken during a reading are taken from its answer', async () => {
    const { jwt } = await server.addUser('ruled');
    const received = await slowly(2_000, async () => {
      const opened = await server.over.events({ query: live }, jwt);
      await delay(500);
      await server.admin('PUT', '/roles/1/rules', { rows: { [post]: { title: { $eq: 'b' } } } });
      return opened;
    });
    const [first] = await received.until(() => true);
    expect(first.data.posts.data.map(({ attributes }: Result) => attributes.title)).to.deep.equal(['b']);
    received.close();
    await server.admin('PUT', '/roles/1/rules', {});
  });

  it('1,000 equal listeners cost one reading for each change', async () => {
    const listeners = await Promise.all(Array.from({ length: 1_000 }, () => server.over.events({ query: live })));
    for (const { until } of listeners) await until(({ revision }: Result) => revision === 1);
    await server.settled();
    await server.logged();
    let reads = 0;
    const { client } = server.server.backend?.store.database ?? {};
    const count = ({ command }: { readonly command: Record<string, unknown> }): void => {
      const isOfList = command['find'] === 'posts' && command['sort'] !== undefined;
      if (isOfList || command['aggregate'] === 'posts') reads += 1;
    };
    client?.on('commandStarted', count);
    const changes = 3;
    for (let change = 1; change <= changes; change += 1) {
      await server.as(server.editor, 'PUT', '/api/posts/1', { data: { title: `change ${String(change)}` } });
      for (const { until } of listeners) await until(({ revision }: Result) => revision === 1 + change);
      await server.settled();
    }
    client?.off('commandStarted', count);
    // a change that the change stream reports after the reading has begun is read once more
    expect(reads).to.be.within(changes, 2 * changes);
    for (const { close } of listeners) close();
  });

  it('a connection whose client does not say who it is ends after 10 s', async () => {
    const socket = new WebSocket(`${server.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    const begun = performance.now();
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).to.equal(4408);
    expect(performance.now() - begun).to.be.above(9_000);
  });
});
