import { expect } from 'chai';
import type { EngineSearch, SearchEngine } from '#api/search/engine.js';
import { Meilisearch } from '#api/search/meilisearch.js';
import { Typesense } from '#api/search/typesense.js';
import { closeAfter } from '../../support/close-after.js';
import { engineKey, type EngineServer, type StoredText } from './engine-server.js';
import { engineServers, type EngineName } from './serve-search.js';

const signal = new AbortController().signal;
const index = { name: 'many', collection: 'many', attributes: ['title'] };
const search: EngineSearch = { text: 'word', attributes: ['title'], locales: null, isLive: false, limit: 10_001 };

const clients: Readonly<Record<EngineName, (url: string, key?: string) => SearchEngine>> = {
  meilisearch: (url, key = engineKey) => new Meilisearch({ url, key }, 10_001),
  typesense: (url, key = engineKey) => new Typesense({ url, key }),
};

for (const name of Object.keys(engineServers) as EngineName[])
  describe(`${name} as a port`, () => {
    const toClose = closeAfter();
    let server: EngineServer;
    let engine: SearchEngine;

    before(async () => {
      server = await engineServers[name]().open();
      toClose(() => server.close());
      engine = clients[name](server.url);
      await engine.create(index, signal);
    });

    it('finds 10,001 ids at most, by few requests', async () => {
      const { documents } = [...server.indexes.values()][0] ?? {};
      for (let id = 1; id <= 12_000; id += 1) {
        const stored: StoredText = { id: name === 'typesense' ? String(id) : id, published: true, text_title: 'word' };
        documents?.set(String(id), stored);
      }
      const before = server.calls.length;
      const ids = await engine.search(index, search, signal);
      expect([ids.length, ids[0], ids[10_000]]).to.deep.equal([10_001, 1, 10_001]);
      expect(server.calls.length - before).to.be.at.most(2);
    });

    it('finds few ids by one request', async () => {
      const before = server.calls.length;
      expect(await engine.search(index, { ...search, text: 'other' }, signal)).to.deep.equal([]);
      expect(server.calls.length - before).to.equal(1);
    });

    it('creates an index, and drops one, again without an error', async () => {
      await engine.create(index, signal);
      const other = { ...index, name: 'other' };
      await engine.create(other, signal);
      await engine.drop(other, signal);
      await engine.drop(other, signal);
      expect([...server.indexes.keys()]).to.deep.equal(['many']);
    });

    it('quotes locales', async () => {
      const locales = ['en', 'x"] OR id > 0 OR locale IN ["', '`] || id:>0'];
      expect(await engine.search(index, { ...search, locales }, signal)).to.deep.equal([]);
    });

    it('says its version, and refuses a wrong key without printing it', async () => {
      expect(await engine.version(signal)).to.match(/^\d+\.\d+/);
      const error: unknown = await clients[name](server.url, 'wrong-key')
        .search(index, search, signal)
        .catch((one: unknown) => one);
      expect(String(error))
        .to.match(/40[13]/)
        .and.not.contain('wrong-key');
    });

    it('ends a request when the signal aborts', async () => {
      server.mood = 'silent';
      const ends = new AbortController();
      const waiting = engine.search(index, search, ends.signal).catch((one: unknown) => one);
      ends.abort();
      expect(await waiting).to.be.instanceOf(Error);
      server.mood = 'well';
    });
  });
