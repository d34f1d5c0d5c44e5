import { expect } from 'chai';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import { openAdministrators } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { sendTo, unless, type Sent } from '../support/conditional.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const to = (relation: string, name: string, more: object = {}): object => ({
  ...{ type: 'relation', relation, target: `api::${name}.${name}` },
  ...more,
});

const models: readonly TestModel[] = [
  collectionType('author', { name: { type: 'string' }, books: to('oneToMany', 'book', { mappedBy: 'author' }) }),
  collectionType('book', {
    title: { type: 'string' },
    author: to('manyToOne', 'author', { inversedBy: 'books' }),
    part: { type: 'component', component: 'book.part' },
  }),
  { uid: 'book.part', info: { displayName: 'part' }, attributes: { word: { type: 'string' }, author: to('oneToOne', 'author') } },
  ...['few', 'many'].map((name) => collectionType(name, { title: { type: 'string' } })),
];

const graphql = (text: string): string => `/graphql?query=${encodeURIComponent(text)}`;
const titles = 'id attributes { title';

const entries = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ _id: index + 1, title: 'x' }));
const documents = { fews: entries(700), manys: entries(1_000) };

/** Requests with the tags of their answers. */
const tagged: readonly (readonly [path: string, tags: string])[] = [
  ['/api/books/1', 'book, book:1'],
  ['/api/books?sort=id', 'book, book:1, book:2'],
  ['/api/books?fields=title&filters[title]=b', 'book, book:2'],
  ['/api/books?filters[title]=none', 'book'],
  ['/api/books/1?populate=author', 'book, author, book:1, author:1'],
  ['/api/authors/1?populate=books', 'author, book, author:1, book:1, book:2'],
  ['/api/books?sort=id&populate[part][populate]=author', 'book, author, book:1, author:2, book:2'],
  ['/api/books?filters[author][name]=Ann&fields=title&sort=id', 'author, book, book:1, book:2'],
  ['/api/books/count?filters[author][name]=Ann', 'author, book'],
  ['/api/books?filters[createdAt][$lt]=$now', 'book'], // so are answers from which code may have removed entries
  ['/api/books?sort=author.name', 'book, author, book:1, book:2'],
  ['/api/authors/1?populate[books][count]=true', 'author, book, author:1'],
  ['/api/books/aggregate?groupBy=author', 'book'],
  [graphql(`{ book(id: 1) { data { ${titles} } } } }`), 'book, book:1'],
  [graphql(`{ books(sort: "id") { data { ${titles} author { data { id } } } } } }`), 'book, author, book:1, author:1, book:2'],
];

/** Requests whose answers have no tags. */
const untagged: readonly (readonly [method: string, path: string, sent?: Sent])[] = [
  ['GET', '/api/books/99'],
  ['GET', '/api/books?filters[none]=1'],
  ['GET', '/api/books', { headers: { authorization: 'Bearer none' } }],
  ['POST', '/graphql', { body: { query: `{ books { data { ${titles} } } } }` } }],
  ['POST', '/api/books', { body: { data: { title: 'c' } } }],
];

const tagsIn = (text: string | undefined): readonly string[] => (text ?? '').split(', ').sort();

for (const bytes of [0, 5_000_000])
  describe(`cache tags, if ${String(bytes)} bytes of answers are kept`, () => {
    let serving: Serving;
    let send: ReturnType<typeof sendTo>;
    before(async () => {
      serving = await serveModels({ models, documents, config: { api: { rest: { cacheTags: true, keepAnswers: { bytes } } } } });
      send = sendTo(serving);
      for (const name of ['Ann', 'Bo']) await serving.call('POST', '/api/authors', { data: { name } });
      await serving.call('POST', '/api/books', { data: { title: 'a', author: 1, part: { word: 'x', author: 2 } } });
      await serving.call('POST', '/api/books', { data: { title: 'b', author: 1 } });
      while (serving.server.backend?.instances.isAlone !== true) await new Promise((resolve) => setTimeout(resolve, 10));
      await serving.settled();
    });
    after(() => serving.stop());

    for (const [path, tags] of tagged)
      it(`${decodeURIComponent(path)}: ${tags}`, async () => {
        for (const method of path.startsWith('/graphql') ? ['GET', 'GET'] : ['GET', 'GET', 'HEAD']) {
          const { status, headers } = await send(method, path);
          expect([method, status, tagsIn(headers['cache-tag'])]).to.deep.equal([method, 200, tagsIn(tags)]);
          expect(headers['vary']).to.include('Authorization'); // what one caller gets is not what another one gets
        }
      });

    for (const [method, path, sent] of untagged)
      it(`${method} ${path} ${JSON.stringify(sent ?? '')}: no tags`, async () => {
        const { status, headers } = await send(method, path, sent);
        expect([status >= 500, headers['cache-tag']]).to.deep.equal([false, undefined]);
      });

    it('an entry that is not there is missing in no cache when it comes', async () => {
      const { status, headers } = await send('GET', '/api/books/99');
      expect([status, headers['cache-control']]).to.deep.equal([404, 'no-store']);
    });

    it('a 304 needs none', async () => {
      const { tag } = await send('GET', '/api/books/1');
      expect((await send('GET', '/api/books/1', unless(tag))).status).to.equal(304);
    });

    it('credentials that say nothing take the tags from nobody', async () => {
      for (const path of ['/api/books/2', graphql(`{ book(id: 2) { data { ${titles} } } } }`)]) {
        const first = await send('GET', path, { headers: { authorization: 'Basic x' } });
        const { headers } = await send('GET', path);
        expect([first.status, first.headers['cache-tag'], headers['cache-tag']]).to.deep.equal([200, undefined, 'book, book:2']);
      }
    });

    it('beyond 8 kB, types alone are named', async () => {
      const list = (name: string) => send('GET', `/api/${name}?pagination[limit]=1000`);
      expect((await list('manys')).headers['cache-tag']).to.equal('many');
      expect((await list('fews')).headers['cache-tag']).to.have.lengthOf.within(4_000, 8_192);
    });
  });

it('entries that were found outside of the database are kept by no cache', async () => {
  const finder = {
    covers: ({ singularName }: { readonly singularName: string }) => singularName === 'few',
    find: ({ text }: { readonly text: string }) =>
      Promise.resolve(text === 'lost' ? null : { ids: [2, 1], isTruncated: false, by: 'outside' }),
  };
  const outside: Feature = { name: 'outside', finder: () => finder };
  const config = { api: { rest: { cacheTags: true } } };
  const serving = await serveModels({ models, documents, config, features: [...features, outside] });
  try {
    const send = sendTo(serving);
    for (const path of ['/api/fews?_q=y', '/api/fews/count?_q=y', '/api/fews?_q=y&facets=title']) {
      const { status, headers } = await send('GET', path);
      expect([status, headers['cache-control'], headers['cache-tag']], path).to.deep.equal([200, 'no-store', undefined]);
    }
    for (const [path, tags] of [
      ['/api/fews?_q=lost', 'few'],
      ['/api/manys?_q=y', 'many'],
    ] as const) {
      const { headers } = await send('GET', path);
      expect([headers['cache-control'] === 'no-store', headers['cache-tag']], path).to.deep.equal([false, tags]);
    }
  } finally {
    await serving.stop();
  }
});

it('without api.rest.cacheTags, no answer has cache tags', async () => {
  const serving = await serveModels({ models });
  try {
    const send = sendTo(serving);
    for (const [path] of tagged) expect((await send('GET', path)).headers).to.not.have.property('cache-tag');
  } finally {
    await serving.stop();
  }
});

it('previews that may show drafts beside published entries are kept by no cache, because a saved draft purges nothing', async () => {
  const beside = { options: { draftAndPublish: true, drafts: 'beside' } };
  const page = collectionType('page', { title: { type: 'string' }, next: to('oneToOne', 'page') }, beside);
  const serving = await serveModels({ models: [...models, page], config: { api: { rest: { cacheTags: true } } } });
  try {
    const send = sendTo(serving);
    await serving.call('POST', '/api/pages', { data: { title: 'a' } });
    const preview = 'publicationState=preview';
    const paths = [
      `/api/pages?${preview}`,
      `/api/pages/1?${preview}`,
      `/api/pages/count?${preview}`,
      `/api/pages/aggregate?groupBy=title&${preview}`,
      graphql(`{ pages(publicationState: PREVIEW) { data { ${titles} } } } }`),
    ];
    for (const path of paths) {
      const { status, headers } = await send('GET', path);
      expect([status, headers['cache-control'], headers['cache-tag']], path).to.deep.equal([200, 'no-store', undefined]);
    }
    for (const path of ['/api/pages', '/api/pages/1', `/api/books?${preview}`])
      expect((await send('GET', path)).headers['cache-tag'], path).to.be.a('string');
  } finally {
    await serving.stop();
  }
});

it('answers that show administrators are kept by no cache, because a change of theirs purges nothing', async () => {
  const page = collectionType('page', { title: { type: 'string' } }, { options: { populateCreatorFields: true } });
  const serving = await serveModels({ models: [page], config: { api: { rest: { cacheTags: true } } } });
  try {
    const panel = await openAdministrators(serving, {});
    await panel('super', 'POST', '/content-manager/collection-types/api::page.page', { title: 'x' });
    const send = sendTo(serving);
    const shown = await send('GET', '/api/pages?populate=createdBy');
    expect(shown.json.data[0].attributes.createdBy.data.attributes.firstname).to.equal('super');
    expect([shown.headers['cache-control'], shown.headers['cache-tag']]).to.deep.equal(['no-store', undefined]);
    expect((await send('GET', '/api/pages')).headers['cache-tag']).to.equal('page, page:1');
  } finally {
    await serving.stop();
  }
});
