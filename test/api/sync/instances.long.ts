import { expect } from 'chai';
import { features } from '#features.js';
import { freshDatabase } from '../../support/mongo.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels } from '../../support/serve.js';
import { readEvents } from './read-events.js';
import { serveSync } from './serve-sync.js';

/** Change streams that services over a database have open. */
const streamsOf = async (database: Awaited<ReturnType<typeof freshDatabase>>): Promise<number> => {
  const cursors = await database.client
    .db('admin')
    .aggregate([{ $currentOp: { idleCursors: true, allUsers: true } }, { $match: { ns: `${database.name}.$cmd.aggregate` } }])
    .toArray();
  const isStream = ({
    cursor,
  }: {
    readonly cursor?: { readonly originatingCommand?: { readonly pipeline?: object[] } };
  }): boolean => '$changeStream' in Object(cursor?.originatingCommand?.pipeline?.[0]);
  return cursors.filter(isStream).length;
};

describe('sync over several instances', () => {
  it('costs nothing without synced types: the same commands, no stream, no lease, no log', async () => {
    const related = { target: 'api::plain.plain', type: 'relation', relation: 'manyToMany' };
    const models = [
      collectionType('plain', { name: { type: 'string' }, others: related }, { options: { draftAndPublish: true } }),
    ];
    const sent = [];
    for (const used of [features, features.filter(({ name }) => name !== 'sync')]) {
      const database = await freshDatabase();
      const serving = await serveModels({ database, models, features: used });
      const { call } = serving;
      for (const name of ['first', 'second']) await call('POST', '/api/plains', { data: { name } });
      await call('PUT', '/api/plains/1', { data: { name: 'warm', others: [2] } });
      await serving.settled();
      const { commands } = await serving.countCommands(async () => {
        const { body } = await call('POST', '/api/plains', { data: { name: 'a', others: [1, 2] } });
        expect(body.data.id).to.equal(3);
        await call('PUT', '/api/plains/3', { data: { name: 'b', others: [2], publishedAt: null } });
        await call('DELETE', '/api/plains/3');
        await call('GET', '/api/plains?populate=others');
      });
      sent.push({ commands, streams: await streamsOf(database) });
      expect(await database.db.collection('_claims').countDocuments({ _id: /change log/ as never })).to.equal(0);
      expect(await database.db.listCollections({ name: '_changes' }).toArray()).to.deep.equal([]);
      await serving.stop();
      await database.drop();
    }
    const [withSync, without] = sent;
    expect(withSync).to.deep.equal(without);
    expect(withSync?.streams).to.be.at.most(1);
    expect(withSync?.commands).to.include.members(['insert', 'findAndModify', 'find']);
  });

  it('adds nothing to writes of synced types, and one stream for all instances', async () => {
    const database = await freshDatabase();
    const serving = await serveModels({
      database,
      models: [collectionType('plain', { name: { type: 'string' } }, { pluginOptions: { sync: { enabled: true } } })],
    });
    await serving.call('GET', '/api/sync/plains');
    const other = await serveModels({ database, models: [] });
    await serving.call('POST', '/api/plains', { data: { name: 'a' } });
    const log = database.db.collection('_changes');
    while ((await log.findOne({ kind: 'insert' })) === null);
    expect(await streamsOf(database)).to.be.at.most(3);
    await other.stop();
    await serving.stop();
    await database.drop();
  });

  it('goes on with another instance when one stops, from the same event', async () => {
    const database = await freshDatabase();
    const [one, other] = [await serveSync({ database }), await serveSync({ database })];
    const put = (title: string) => other.as(other.editor, 'PUT', '/api/posts/1', { data: { title } });
    await other.as(other.editor, 'POST', '/api/posts', { data: { title: 'a' } });
    await other.logged();
    const headers = { authorization: `Bearer ${other.editor}` };
    const path = '/api/sync/posts?fields=title';
    const stream = await readEvents(`${one.server.url}${path}`, headers);
    const last = (await stream.until('uptodate')).at(-1)?.id ?? '';
    const stopping = one.stop();
    await stream.ended;
    await put('b');
    await stopping;
    const next = await readEvents(`${other.server.url}${path}`, { ...headers, 'last-event-id': last });
    const [changed] = await next.until('upsert');
    expect(changed?.data).to.equal('{"id":1,"attributes":{"title":"b"}}');
    next.close();
    await other.stop();
    await database.drop();
  });

  it('limits the requests of a caller that wait, until some of them have ended', async () => {
    const server = await serveSync({ config: { api: { sync: { connectionsPerCaller: 2 } } as object } });
    const grant = (...actions: string[]) => server.admin('PUT', '/roles/1', { actions });
    await grant('api::post.post.find');
    const { jwt } = await server.addUser('ann');
    const listen = () => readEvents(`${server.server.url}/api/sync/posts`, { authorization: `Bearer ${jwt}` });
    const listenAgain = async () => {
      let stream = await listen();
      while (stream.status === 429) stream = await listen();
      return stream;
    };
    const streams = [await listen(), await listen()];
    expect([...streams, await listen()].map(({ status }) => status)).to.deep.equal([200, 200, 429]);
    streams[0]?.close();
    streams.push(await listenAgain());
    await grant();
    await Promise.all(streams.map(({ ended }) => ended));
    await grant('api::post.post.find');
    expect((await Promise.all([listenAgain(), listenAgain()])).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await listen()).status).to.equal(429);
    await server.stop();
  });
});
