import { expect } from 'chai';
import { closeAfter } from '../../support/close-after.js';
import { createLog, type Log } from '../../support/create-log.js';
import { engineKey, type EngineServer, refusedText } from './engine-server.js';
import { type EngineName, engineServers, eventually, type ServingSearch, serveSearch, storedIn } from './serve-search.js';

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly pagination: { readonly total: number }; readonly searchTruncated?: true };
}

const actions = ['article', 'page'].flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]);

for (const name of Object.keys(engineServers) as EngineName[])
  describe(`a search by ${name}`, () => {
    const toClose = closeAfter();
    let engine: EngineServer;
    let serving: ServingSearch;
    let log: Log;
    let token: string;
    let ann: { readonly id: number; readonly jwt: string };

    const as = async (caller: string | null, path: string): Promise<Page> => {
      const { status, body } = await serving.as(caller, 'GET', path);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body as Page;
    };
    const idsOf = async (path: string, caller: string | null = token): Promise<readonly number[]> =>
      (await as(caller, path)).data.map(({ id }) => id);
    const write = async (method: string, path: string, data?: object): Promise<number> => {
      const { status, body } = await serving.as(token, method, path, data && { data });
      expect(status, JSON.stringify(body)).to.equal(200);
      return (body as { data: { id: number } }).data.id;
    };

    before(async () => {
      engine = await engineServers[name]().open();
      toClose(() => engine.close());
      log = await createLog();
      serving = await serveSearch(name, engine, { logger: log.logger });
      toClose(() => serving.stop());
      await serving.admin('PUT', '/roles/2', { actions: [...actions, 'plugin::users-permissions.auth.callback'] });
      await serving.admin('PUT', '/roles/1', { actions });
      ann = await serving.addUser('ann');
      const { body } = await serving.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
      token = body.data.accessKey as string;
      const secrets = { secret: 'mangrove', key: 'mangrove', note: 'mangrove' };
      await write('POST', '/api/articles', { title: 'Salt and water', body: 'The mangrove', ...secrets, owner: ann.id });
      await write('POST', '/api/articles', { title: 'Mangrove mangrove', body: '', ...secrets });
      await write('POST', '/api/articles', { title: 'Draft of a mangrove', ...secrets, publishedAt: null, owner: ann.id });
      await write('POST', '/api/articles', { title: 'Water', ...secrets });
      await serving.admin('POST', '/locales', { code: 'fr', name: 'French' });
      await write('POST', '/api/pages', { heading: 'Water' });
      await write('POST', '/api/pages', { heading: 'Water too' });
      await serving.fed();
    });

    it('has the texts of all entries, and no private or unsearched ones', () => {
      expect(storedIn(engine, 'articles')).to.deep.equal([
        { id: 1, published: true, text_title: 'Salt and water', text_body: 'The mangrove' },
        { id: 2, published: true, text_title: 'Mangrove mangrove' },
        { id: 3, published: false, text_title: 'Draft of a mangrove' },
        { id: 4, published: true, text_title: 'Water' },
      ]);
      expect(JSON.stringify(engine.calls.map(({ body }) => body))).not.to.contain('$2');
    });

    it('finds entries in spite of typing errors, in the order of the engine', async () => {
      expect(await idsOf('/api/articles?_q=mangrvoe')).to.deep.equal([]);
      expect(await idsOf('/api/articles?_q=mangrov')).to.deep.equal([1, 2]);
      expect(await idsOf('/api/articles?_q=mangrofe water')).to.deep.equal([1, 4, 2]);
      expect(await idsOf('/api/articles?_q=mangrofe water&pagination[page]=2&pagination[pageSize]=1')).to.deep.equal([4]);
    });

    it('hides drafts, unless they are asked for', async () => {
      const { data, meta } = await as(token, '/api/articles?_q=mangrofe');
      expect([data.map(({ id }) => id), meta.pagination.total]).to.deep.equal([[1, 2], 2]);
      expect(await idsOf('/api/articles?_q=mangrofe&publicationState=preview')).to.deep.equal([1, 2, 3]);
    });

    it('is in the locale of the query', async () => {
      expect(await idsOf('/api/pages?_q=watr')).to.deep.equal([1, 2]);
      expect(await idsOf('/api/pages?_q=watr&locale=fr')).to.deep.equal([]);
      expect(await idsOf('/api/pages?_q=watr&locale=all')).to.deep.equal([1, 2]);
    });

    it('leaves numbers, and texts without a word, to MongoDB', async () => {
      const before = engine.calls.length;
      expect(await idsOf('/api/articles?_q=4')).to.deep.equal([4]);
      expect(await idsOf('/api/articles?_q=*')).to.deep.equal([]);
      expect(engine.calls.slice(before).filter(({ path }) => path.includes('search'))).to.deep.equal([]);
    });

    it('shows a caller nothing of entries that a row rule hides', async () => {
      const own = { owner: { id: { $eq: '$user.id' } } };
      await serving.admin('PUT', '/roles/1/rules', { rows: { 'api::article.article': own }, fields: null });
      const { data, meta } = await as(ann.jwt, '/api/articles?_q=mangrofe water');
      expect([data.map(({ id }) => id), meta.pagination]).to.deep.equal([[1], { page: 1, pageSize: 25, pageCount: 1, total: 1 }]);
      await serving.admin('PUT', '/roles/1/rules', { rows: null, fields: null });
    });

    it('does not search attributes that the caller may not read', async () => {
      await serving.admin('PUT', '/roles/1/rules', { rows: null, fields: { 'api::article.article': { deny: ['body'] } } });
      expect(await idsOf('/api/articles?_q=mangrofe', ann.jwt)).to.deep.equal([2]);
      await serving.admin('PUT', '/roles/1/rules', { rows: null, fields: null });
      expect(await idsOf('/api/articles?_q=mangrofe', ann.jwt)).to.deep.equal([1, 2]);
    });

    it('is explained', async () => {
      const { body } = await serving.admin('POST', '/tokens', { name: 'admin', type: 'admin' });
      const { status, body: answer } = await serving.as(body.data.accessKey, 'GET', '/api/articles?_q=mangrofe&explain=true');
      expect(status, JSON.stringify(answer)).to.equal(200);
      expect(answer.meta.explain.search).to.deep.equal({ by: name, ids: 2 });
    });

    it('follows creates, updates, deletes, and changes of the publication state', async () => {
      const id = await write('POST', '/api/articles', { title: 'A pelican' });
      await serving.fed();
      expect(await idsOf('/api/articles?_q=pelicam')).to.deep.equal([id]);
      await write('PUT', `/api/articles/${String(id)}`, { title: 'A flamingo' });
      await serving.fed();
      expect(await idsOf('/api/articles?_q=pelicam')).to.deep.equal([]);
      expect(await idsOf('/api/articles?_q=flamimgo')).to.deep.equal([id]);
      await write('PUT', `/api/articles/${String(id)}`, { publishedAt: null });
      expect(await idsOf('/api/articles?_q=flamimgo')).to.deep.equal([]);
      await serving.fed();
      expect(storedIn(engine, 'articles')).to.deep.include({ id, published: false, text_title: 'A flamingo' });
      await write('DELETE', `/api/articles/${String(id)}`);
      expect(await idsOf('/api/articles?_q=flamimgo&publicationState=preview')).to.deep.equal([]);
      await serving.fed();
      expect(storedIn(engine, 'articles')).to.have.length(4);
    });

    it('says that there are more, but not to a caller whose row rule hides some', async () => {
      const [, index] = [...engine.indexes].find(([one]) => one.startsWith('mangrove_articles_')) ?? [];
      for (let id = 100_001; id <= 111_000; id += 1)
        index?.documents.set(String(id), { id: String(id), published: true, text_title: 'Watr' });
      const { data, meta } = await as(token, '/api/articles?_q=watr');
      expect([data, meta.searchTruncated]).to.deep.equal([[], true]);
      const own = { owner: { id: { $eq: '$user.id' } } };
      await serving.admin('PUT', '/roles/1/rules', { rows: { 'api::article.article': own }, fields: null });
      const ofAnn = await as(ann.jwt, '/api/articles?_q=water');
      expect([ofAnn.data.map(({ id }) => id), ofAnn.meta]).to.deep.equal([
        [1],
        { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } },
      ]);
      await serving.admin('PUT', '/roles/1/rules', { rows: null, fields: null });
      for (let id = 100_001; id <= 111_000; id += 1) index?.documents.delete(String(id));
    });

    it('has all entries beside one that it refuses, and one whose text is cut within a character', async () => {
      const cut = await write('POST', '/api/articles', { title: 'Pelican', body: `${'a'.repeat(199_999)}\u{1f334}` });
      const refused = await write('POST', '/api/articles', { title: `Pelican: ${refusedText}` });
      const last = await write('POST', '/api/articles', { title: 'Pelican' });
      await serving.fed();
      expect(await idsOf('/api/articles?_q=pelicam')).to.deep.equal([cut, last]);
      const warning = `${name} refuses entries of articles, which it does not find: ${String(refused)}`;
      expect(log.lines.filter(({ msg }) => String(msg).startsWith(warning))).to.have.length(1);
      for (const id of [cut, refused, last]) await write('DELETE', `/api/articles/${String(id)}`);
      await serving.fed();
    });

    it('has all entries again after it has lost its indexes, at a search or a write', async () => {
      engine.indexes.clear();
      expect(await idsOf('/api/pages?_q=water')).to.deep.equal([1, 2]);
      await serving.fed();
      expect(await idsOf('/api/pages?_q=watr')).to.deep.equal([1, 2]);
      engine.indexes.clear();
      const id = await write('POST', '/api/pages', { heading: 'Water again' });
      const found = async () => expect(await idsOf('/api/pages?_q=water')).to.deep.equal([1, 2, id]);
      await eventually(found);
      await serving.fed();
      await found();
      expect(await idsOf('/api/pages?_q=watr')).to.deep.equal([1, 2, id]);
      await write('DELETE', `/api/pages/${String(id)}`);
      expect(log.lines.some(({ msg }) => String(msg).startsWith('the search engine has lost its index of pages'))).to.equal(true);
    });

    it('is answered by MongoDB while the engine fails, which the log says once', async () => {
      for (const mood of ['down', 'broken'] as const) {
        engine.mood = mood;
        expect(await idsOf('/api/articles?_q=water')).to.deep.equal([1, 4]);
        expect(await idsOf('/api/articles?_q=watr')).to.deep.equal([]);
        engine.mood = 'well';
      }
      const lost = log.lines.filter(({ msg }) => msg === 'the search engine does not answer: MongoDB searches');
      expect(lost).to.have.length(1);
      expect(JSON.stringify(log.lines)).not.to.contain('key-of-the-engine');
      await eventually(async () => expect(await idsOf('/api/articles?_q=watr')).to.deep.equal([1, 4]));
      expect(log.lines.some(({ msg }) => msg === 'the search engine answers again')).to.equal(true);
    });
  });

describe('a search engine that never answers', () => {
  const toClose = closeAfter();
  let engine: EngineServer;
  let serving: ServingSearch;

  before(async () => {
    engine = await engineServers.meilisearch().open();
    toClose(() => engine.close());
    const settings = { engine: 'meilisearch', url: engine.url, key: engineKey, timeout: 50 } as const;
    serving = await serveSearch('meilisearch', engine, { config: { api: { open: true, search: settings } } });
    toClose(() => serving.stop());
    await serving.call('POST', '/api/articles', { data: { title: 'Water' } });
    await serving.fed();
  });

  it('is asked three times, then not for some seconds, and then by one search', async () => {
    engine.mood = 'silent';
    const before = engine.calls.length;
    for (let search = 1; search <= 5; search += 1) {
      const { status, body } = await serving.call('GET', '/api/articles?_q=water');
      expect([status, body.data.length]).to.deep.equal([200, 1]);
    }
    const searches = engine.calls.slice(before).filter(({ path }) => path.endsWith('/search'));
    expect(searches).to.have.length(3);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await Promise.all(Array.from({ length: 4 }, () => serving.call('GET', '/api/articles?_q=water')));
    expect(engine.calls.slice(before).filter(({ path }) => path.endsWith('/search'))).to.have.length(4);
  });
});
