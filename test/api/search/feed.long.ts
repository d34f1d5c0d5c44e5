import { expect } from 'chai';
import { openEngine } from '#api/search/open-engine.js';
import type { SearchEngine } from '#api/search/engine.js';
import { Feeder } from '#api/search/feed.js';
import { readIndexes, storePlace } from '#api/search/index-rows.js';
import { type SearchSettings, searchSettingsOf } from '#api/search/settings.js';
import { rebuildIndexes, searchStatus } from '#api/search/status.js';
import { changeLog } from '#model/schema/collections.js';
import { closeAfter } from '../../support/close-after.js';
import { roundsOf } from '../../support/rounds.js';
import { storeModels } from '../../support/serve.js';
import type { EngineServer } from './engine-server.js';
import { eventually, logged, searchModels, serveSearch, type ServingSearch, storedIn } from './serve-search.js';
import { meilisearchServer } from './meilisearch-server.js';

const never = new AbortController().signal;

/** Returns an engine whose writes fail by chance: before they are sent, or after they were stored. */
function failing(engine: SearchEngine, chance: () => number): SearchEngine {
  const fail = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (chance() < 0.3) throw new Error('killed before it was sent');
    const result = await work();
    if (chance() < 0.3) throw new Error('killed after it was stored');
    return result;
  };
  return {
    ...engine,
    name: engine.name,
    isFed: true,
    search: (...given) => engine.search(...given),
    version: (...given) => engine.version(...given),
    create: (...given) => fail(() => engine.create(...given)),
    isReady: (...given) => fail(() => engine.isReady(...given)),
    isThere: (...given) => engine.isThere(...given),
    put: (...given) => fail(() => engine.put(...given)),
    remove: (...given) => fail(() => engine.remove(...given)),
    drop: (...given) => fail(() => engine.drop(...given)),
  };
}

/** Numbers that a seed decides, from 0 up to 1. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('the feed of a search engine', () => {
  const toClose = closeAfter();
  let engine: EngineServer;
  let serving: ServingSearch;
  let settings: SearchSettings;
  let token: string;

  const open = (): SearchEngine => openEngine(settings, serving.running.backend.store.database);
  const write = async (method: string, path: string, data?: object): Promise<number> => {
    const { status, body } = await serving.as(token, method, `/api${path}`, data && { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as { data: { id: number } }).data.id;
  };

  /** Takes steps until there is nothing to do. */
  const feedAll = async (own = open(), its = settings): Promise<void> => {
    await logged(serving.running);
    await eventually(async () => {
      const feeder = new Feeder(serving.running, own, its);
      while (await feeder.step(never));
      const { registry } = serving.running.backend.models.snapshot;
      const parts = { config: serving.running.config, database: serving.running.backend.store.database, registry };
      const status = await searchStatus(parts);
      if (its === settings) expect(status?.indexes.every(({ state }) => state === 'ready')).to.equal(true);
    });
  };

  const indexName = async (collection: string): Promise<string | undefined> =>
    (await readIndexes(serving.running.backend.store.database)).indexes.get(collection)?.index?.name;

  /** What the index of articles must have, by the database. */
  const expected = async (): Promise<readonly object[]> => {
    const articles = await serving.database.db
      .collection<{ _id: number } & Record<string, unknown>>('articles')
      .find()
      .sort({ _id: 1 })
      .toArray();
    return articles.map(({ _id, title, body, publishedAt }) => ({
      id: _id,
      published: publishedAt instanceof Date,
      ...(typeof title === 'string' && title !== '' && { text_title: title }),
      ...(typeof body === 'string' && body !== '' && { text_body: body }),
    }));
  };

  before(async () => {
    engine = await meilisearchServer().open();
    toClose(() => engine.close());
    serving = await serveSearch('meilisearch', engine, { isFed: false });
    toClose(() => serving.stop());
    const found = searchSettingsOf(serving.running.config);
    if (found === null) throw new Error('no engine is set');
    settings = found;
    const { body } = await serving.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    token = body.data.accessKey as string;
  });

  it('has every entry after any number of deaths between its steps', async () => {
    for (let seed = 1; seed <= roundsOf(1, 20); seed += 1) {
      const chance = numbersOf(seed);
      const ids: number[] = [];
      for (let round = 0; round < 20; round += 1) {
        const id = ids[Math.floor(chance() * ids.length)];
        const kind = chance();
        if (id === undefined || kind < 0.4) ids.push(await write('POST', '/articles', { title: `Title ${String(round)}` }));
        else if (kind < 0.6) await write('PUT', `/articles/${String(id)}`, { title: `Changed ${String(round)}`, body: 'Text' });
        else if (kind < 0.8) await write('PUT', `/articles/${String(id)}`, { publishedAt: kind < 0.7 ? null : '2024-01-01' });
        else {
          await write('DELETE', `/articles/${String(id)}`);
          ids.splice(ids.indexOf(id), 1);
        }
        if (round === 5) {
          const { backend, config } = serving.running;
          await rebuildIndexes({ config, database: backend.store.database, registry: backend.models.snapshot.registry }, []);
        }
        await logged(serving.running);
        const feeder = new Feeder(serving.running, failing(open(), chance), settings);
        for (let step = 0; step < 3; step += 1) await feeder.step(never).catch(() => undefined);
      }
      await feedAll();
      expect(storedIn(engine, 'articles'), `seed ${String(seed)}`).to.deep.equal(await expected());
    }
  });

  it('builds a new index while entries are written, and searches the former one until it is complete', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => ({ _id: 10_000 + index, title: `Many ${String(index)}` }));
    await serving.database.db
      .collection<{ _id: number }>('articles')
      .insertMany(rows.map((row) => ({ ...row, publishedAt: new Date() })));
    await feedAll();
    const former = await indexName('articles');
    const { backend, config } = serving.running;
    const parts = { config, database: backend.store.database, registry: backend.models.snapshot.registry };
    await rebuildIndexes(parts, ['api::article.article']);
    const feeder = new Feeder(serving.running, open(), settings);
    for (const step of ['begin', 'create', 'first part']) expect(await feeder.step(never), step).to.equal(true);
    await write('PUT', '/articles/10001', { title: 'Changed behind the scan' });
    await write('DELETE', '/articles/10002');
    await write('PUT', '/articles/10440', { title: 'Changed before the scan' });
    await write('DELETE', '/articles/10441');
    await write('POST', '/articles', { title: 'Created meanwhile' });
    expect(await indexName('articles')).to.equal(former);
    expect((await searchStatus(parts))?.indexes[0]?.state).to.equal('rebuilding');
    await feedAll();
    expect(await indexName('articles')).not.to.equal(former);
    expect(storedIn(engine, 'articles')).to.deep.equal(await expected());
  });

  it('begins anew if the log has a gap, and is not asked meanwhile', async () => {
    await write('PUT', '/articles/10003', { title: 'Lost in the gap' });
    await write('PUT', '/articles/10004', { title: 'After the gap' });
    await logged(serving.running);
    await serving.database.db.collection(changeLog).deleteOne({ id: 10_003, kind: 'update' });
    const feeder = new Feeder(serving.running, open(), settings);
    await feeder.step(never);
    expect(await indexName('articles')).to.equal(undefined);
    const searches = engine.calls.filter(({ path }) => path.endsWith('/search')).length;
    const { body } = await serving.as(token, 'GET', '/api/articles?_q=Lost in the gap');
    expect(body.data).to.have.length(1);
    expect(engine.calls.filter(({ path }) => path.endsWith('/search'))).to.have.length(searches);
    await feedAll();
    expect(storedIn(engine, 'articles')).to.deep.equal(await expected());
  });

  it('reads nothing for changes of what is not searched', async () => {
    await serving.database.db.collection<{ _id: number }>('articles').updateOne({ _id: 10_003 }, { $set: { views: 5 } });
    const calls = engine.calls.length;
    await feedAll();
    const sent = engine.calls.slice(calls).filter(({ method, path }) => method !== 'GET' && path.includes('mangrove_articles_'));
    expect(sent.map(({ path }) => path)).to.deep.equal([]);
  });

  it('lets one instance alone store its place', async () => {
    const { database } = serving.running.backend.store;
    const { feed } = await readIndexes(database);
    if (feed === null) throw new Error('nothing was fed');
    await storePlace(database, feed, feed);
    const error: unknown = await storePlace(database, feed, feed).catch((one: unknown) => one);
    expect(String(error)).to.equal('Error: another instance feeds the search engine');
  });

  it('goes on if the engine does not drop an index, and drops it when it begins anew', async () => {
    await feedAll();
    const { backend, config } = serving.running;
    const former = await indexName('articles');
    await rebuildIndexes({ config, database: backend.store.database, registry: backend.models.snapshot.registry }, []);
    const refusing: SearchEngine = { ...failing(open(), () => 1), drop: () => Promise.reject(new Error('not now')) };
    const id = await write('POST', '/articles', { title: 'Beside the unused index' });
    await feedAll(refusing);
    const name = await indexName('articles');
    expect(name).not.to.equal(former);
    expect([...(engine.indexes.get(name ?? '')?.documents.keys() ?? [])]).to.contain(String(id));
    expect([...engine.indexes.keys()]).to.contain(former);
    await feedAll();
    expect(storedIn(engine, 'articles')).to.deep.equal(await expected());
  });

  it('builds an index without an attribute that has become private, and drops the former one', async () => {
    const [article, ...others] = searchModels;
    if (article === undefined) throw new Error('no model');
    const attributes = { ...(article['attributes'] as object), body: { type: 'richtext', private: true } };
    await write('PUT', '/articles/10005', { title: 'Public', body: 'To be hidden' });
    await feedAll();
    expect(JSON.stringify(storedIn(engine, 'articles'))).to.contain('To be hidden');
    await storeModels(serving.database, [{ ...article, attributes }, ...others]);
    await eventually(() => {
      const type = serving.running.backend.models.snapshot.registry.types.get('api::article.article');
      expect(type?.attributes.get('body')?.private).to.equal(true);
    });
    const { body } = await serving.as(token, 'GET', '/api/articles?_q=hidden');
    expect(body.data).to.deep.equal([]);
    await feedAll();
    expect(JSON.stringify(storedIn(engine, 'articles'))).not.to.contain('To be hidden');
  });

  it('drops the indexes of types that are searched no longer', async () => {
    await feedAll(open(), { ...settings, types: ['api::page.page'] });
    expect([...engine.indexes.keys()].map((name) => name.replace(/_[^_]+$/, ''))).to.deep.equal(['mangrove_pages']);
  });
});
