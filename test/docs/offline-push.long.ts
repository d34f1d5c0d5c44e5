import { expect } from 'chai';
import { createClient } from '#client/create-client.js';
import { withSync } from '#client/sync.js';
import { isRecord } from '#base/values.js';
import { serveModels, type Serving } from '../support/serve.js';
import { readBlocks } from './read-page.js';

const synced = (name: string, attributes: object) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  pluginOptions: { sync: { enabled: true } },
  attributes,
});

const models = [
  synced('guide', { name: { type: 'string' } }),
  synced('trail', {
    title: { type: 'string' },
    kilometres: { type: 'integer' },
    guide: { type: 'relation', relation: 'manyToOne', target: 'api::guide.guide' },
  }),
];

const documents = {
  guides: [{ _id: 3, name: 'Ann' }],
  trails: [
    { _id: 8, title: 'Lake trail', kilometres: 5, guide: 3 },
    { _id: 11, title: 'Ridge trail', kilometres: 9, guide: null },
  ],
};

/** Returns an answer with `"…"` where the page leaves a value out. */
function asPrinted(actual: unknown, printed: unknown): unknown {
  if (printed === '…') return actual === undefined ? undefined : printed;
  if (Array.isArray(actual) && Array.isArray(printed)) return actual.map((item, index) => asPrinted(item, printed[index]));
  if (!isRecord(actual) || !isRecord(printed)) return actual;
  return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, asPrinted(value, printed[name])]));
}

describe('the requests of docs/offline.md', () => {
  const blocks = readBlocks('docs/offline.md');
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents });
  });
  after(() => serving.stop());

  it('are answered as the page says', async () => {
    const requests = blocks.flatMap(({ language, text }, index) => {
      const [method = '', path = ''] = text.trim().split(' ');
      const rest = blocks.slice(index + 1).map((block) => block.text);
      return language === 'http' ? [{ method, path, texts: method === 'GET' ? [undefined, rest[0]] : rest }] : [];
    });
    expect(requests.map(({ path }) => path)).to.deep.equal(['/api/sync/push', '/api/sync/schema?types=trails']);
    for (const { method, path, texts } of requests) {
      const [sent, printed] = texts.slice(0, 2).map((text) => (text === undefined ? undefined : (JSON.parse(text) as unknown)));
      const { status, body } = await serving.call(method, path, sent);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(asPrinted(body, printed)).to.deep.equal(printed);
    }
  });

  it('are sent by the typed client', async () => {
    const code = blocks.find(({ language, text }) => language === 'ts' && text.includes('client.push('))?.text ?? '';
    const client = withSync(createClient({ url: serving.server.url }));
    const run = new Function('client', `return (async () => { ${code} return data; })();`) as (
      with_: unknown,
    ) => Promise<unknown>;
    const [pushed] = (await run(client)) as readonly { readonly status: string; readonly attributes: unknown }[];
    expect(pushed).to.deep.include({ status: 'applied' });
    expect(pushed?.attributes).to.include({ kilometres: 7 });
  });
});
