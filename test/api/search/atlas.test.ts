import { expect } from 'chai';
import { atlasCommand } from '#store/stores/atlas-search.js';
import { createLog } from '../../support/create-log.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { eventually, searchModels } from './serve-search.js';

const index = { collection: 'articles', name: 'mangrove_articles_1' };
const search = { text: 'mangrofe', attributes: ['title', 'body'], limit: 10_001 };

describe('the command for MongoDB Atlas', () => {
  const text = { query: 'mangrofe', path: ['title', 'body'], fuzzy: { maxEdits: 1 } };

  it('searches texts with typing errors', () => {
    expect(atlasCommand(index, { ...search, locales: null, isLive: false })).to.deep.equal({
      aggregate: 'articles',
      pipeline: [
        { $search: { index: 'mangrove_articles_1', compound: { must: [{ text }] } } },
        { $limit: 10_001 },
        { $project: { _id: 1 } },
      ],
      cursor: { batchSize: 10_001 },
    });
  });

  it('leaves out drafts and other locales', () => {
    const { pipeline } = atlasCommand(index, { ...search, locales: ['en', 'fr'], isLive: true });
    expect((pipeline as readonly object[])[0]).to.deep.equal({
      $search: {
        index: 'mangrove_articles_1',
        compound: {
          must: [{ text }],
          filter: [{ range: { path: 'publishedAt', gte: new Date(-8.64e15) } }, { in: { path: 'locale', value: ['en', 'fr'] } }],
        },
      },
    });
  });
});

describe('a server without the search of MongoDB Atlas', () => {
  let serving: Serving;
  const lines: (() => readonly Readonly<Record<string, unknown>>[])[] = [];

  before(async () => {
    const log = await createLog();
    lines.push(() => log.lines);
    serving = await serveModels({ models: searchModels, logger: log.logger, config: { api: { search: { engine: 'atlas' } } } });
    await serving.call('POST', '/api/articles', { data: { title: 'Mangrove' } });
  });
  after(() => serving.stop());

  it('searches itself, and the log says why', async () => {
    const failure = 'the search engine could not be sent what has changed; it is tried again';
    await eventually(() => expect(lines[0]?.().some(({ msg }) => msg === failure)).to.equal(true));
    const { status, body } = await serving.call('GET', '/api/articles?_q=mangrove');
    expect(status).to.equal(200);
    expect(body.data).to.have.length(1);
  });
});
