import { expect } from 'chai';
import { checkAnswers } from '../../../scripts/prove/conformance/check-answers.js';
import { serveProject, type ServedProject } from '../../support/serve-project.js';
import type { TestModel } from '../../support/serve.js';

const model = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, ...attributes },
});

const models: readonly TestModel[] = [
  { uid: 'shared.note', info: { displayName: 'note' }, attributes: { about: one('person') } },
  model('person', { books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author' } }),
  model('book', {
    author: { type: 'relation', relation: 'manyToOne', target: 'api::person.person', inversedBy: 'books' },
    extra: { type: 'json' },
    note: { type: 'component', component: 'shared.note' },
    zone: { type: 'dynamiczone', components: ['shared.note'] },
    cover: { type: 'media', multiple: false },
    gallery: { type: 'media', multiple: true },
  }),
];

function one(name: string): object {
  return { type: 'relation', relation: 'oneToOne', target: `api::${name}.${name}` };
}

const extra = { data: [{ id: 1, attributes: {} }] };

const author = 'fields=title&populate[author][fields]=title';
const flatBook = { id: 1, title: 'a', author: { id: 1, title: 'Ann' } };

/** Paths, and `data` of their flat answers. */
const reads: readonly (readonly [path: string, data: unknown])[] = [
  [`/api/books/1?${author}`, flatBook],
  [`/api/books?${author}`, [flatBook]],
  [`/api/books/1?fields=extra`, { id: 1, extra }],
  ['/api/books/1?fields=title&populate[0]=cover&populate[1]=gallery', { id: 1, title: 'a', cover: null, gallery: null }],
  [
    '/api/books/1?fields=title&populate[note][populate][about][fields]=title',
    { id: 1, title: 'a', note: { id: 1, about: { id: 1, title: 'Ann' } } },
  ],
  [
    '/api/books/1?fields=title&populate[zone][populate][about][fields]=title',
    { id: 1, title: 'a', zone: [{ id: 2, __component: 'shared.note', about: { id: 1, title: 'Ann' } }] },
  ],
  ['/api/persons/1?fields=title&populate[books][fields]=title', { id: 1, title: 'Ann', books: [{ id: 1, title: 'a' }] }],
  ['/api/persons/1?fields=title&populate[books][count]=true', { id: 1, title: 'Ann', books: { count: 1 } }],
];

/** What overrides an action and a route of the project, which see nested entries. */
const code = {
  'src/api/person/controllers/person.js': `const { factories } = require('@strapi/strapi');
    module.exports = factories.createCoreController('api::person.person', {
      async findOne(ctx) {
        const { data, meta } = await super.findOne(ctx);
        return { data, meta: { ...meta, seen: data.attributes.title } };
      },
    });`,
  'src/api/person/routes/person.js': `const { factories } = require('@strapi/strapi');
    module.exports = factories.createCoreRouter('api::person.person');`,
  'src/api/book/routes/book.js': `const { factories } = require('@strapi/strapi');
    module.exports = factories.createCoreRouter('api::book.book');`,
};

for (const flatten of [true, false])
  describe(`api.rest.flatten: ${String(flatten)}`, () => {
    let serving: ServedProject;
    const formatted = (path: string, format: string) => serving.call('GET', `${path}&format=${format}`);
    before(async () => {
      serving = await serveProject(code, { models, config: { api: { rest: { flatten } } } });
      await serving.call('POST', '/api/persons', { data: { title: 'Ann' } });
      const note = { about: 1 };
      const data = { title: 'a', author: 1, extra, note, zone: [{ __component: 'shared.note', ...note }] };
      const { body } = await serving.call('POST', '/api/books?populate=author', { data });
      expect(body.data.attributes === undefined).to.equal(flatten);
    });
    after(() => serving.stop());

    for (const [path, data] of reads)
      it(path, async () => {
        const [flat, nested, plain] = [
          await formatted(path, 'flat'),
          await formatted(path, 'nested'),
          await serving.call('GET', path),
        ];
        expect(flat.body.data).to.deep.equal(data);
        expect(plain.body).to.deep.equal(flatten ? flat.body : nested.body);
        expect(JSON.stringify(nested.body)).to.include('"attributes"');
      });

    it('code of a project sees nested entries', async () => {
      expect((await formatted('/api/persons/1?fields=title', 'flat')).body).to.deep.equal({
        data: { id: 1, title: 'Ann' },
        meta: { seen: 'Ann' },
      });
    });

    it('the OpenAPI document describes the answers', async () => {
      const { body: document } = await serving.call('GET', '/api/openapi.json');
      const path = '/api/books?populate=*';
      const { status, body } = await serving.call('GET', path);
      const exchange = { method: 'GET', url: path, status, type: 'application/json', body: Buffer.from(JSON.stringify(body)) };
      const { checked, problems } = checkAnswers([exchange], document);
      expect([checked, problems]).to.deep.equal([1, []]);
    });

    it('errors and other values of format change nothing', async () => {
      const plain = await serving.call('GET', '/api/books/1?fields=title');
      expect((await formatted('/api/books/1?fields=title', 'csv')).body).to.deep.equal(plain.body);
      expect((await formatted('/api/books/9?a=1', 'flat')).status).to.equal(404);
    });
  });
