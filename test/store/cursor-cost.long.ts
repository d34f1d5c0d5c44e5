import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const adminToken = 'an-admin-token-of-at-least-32-characters';

const models = [
  collectionType(
    'post',
    {
      rating: { type: 'integer', index: true },
      title: { type: 'string', index: true },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'posts' },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  collectionType('author', {
    name: { type: 'string', index: true },
    posts: { type: 'relation', relation: 'oneToMany', target: 'api::post.post', mappedBy: 'author' },
  }),
];

const count = 12_000;
const minute = 60_000;
const documents = {
  posts: Array.from({ length: count }, (_, index) => ({
    _id: index + 1,
    _group: index + 1,
    locale: 'en',
    // few values, so that each page begins among equal ones
    rating: index % 7 === 0 ? null : index % 5,
    title: `Post ${String((index * 7_919) % count)}`,
    publishedAt: index % 10 === 0 ? null : new Date(index * minute),
    createdAt: new Date(index * minute),
    updatedAt: new Date(index * minute),
    author: (index % 300) + 1,
  })),
  authors: Array.from({ length: 300 }, (_, index) => ({ _id: index + 1, name: `Author ${String(index % 200)}` })),
};

/** Sorts that an index serves, and the most documents and keys that a page of 5 may examine. */
const lists: readonly (readonly [query: string, documents: number])[] = [
  ['', 40],
  ['sort=id:desc', 40],
  ['sort=publishedAt:desc', 40],
  ['sort=createdAt', 40],
  ['sort=rating', 40],
  ['sort=rating:desc', 40],
  ['sort=rating:desc&publicationState=preview', 40],
  ['sort=title', 40],
  ['sort=title:desc&filters[id][$gt]=5', 60],
  // the authors, and the posts of those on the page
  ['sort=author.name', 900],
  ['sort=author.name:desc', 900],
];

describe('the cost of a page by cursors', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({
      models,
      documents,
      config: { admin: { token: adminToken }, api: { rest: { maxLimit: count } } },
    });
  });
  after(() => serving.stop());

  async function read(query: string, pagination: string) {
    const path = `/api/posts?fields=rating&pagination[withCount]=false&${query}&${pagination}&explain=true`;
    const response = await fetch(serving.server.url + path, { headers: { authorization: `Bearer ${adminToken}` } });
    const body = (await response.json()) as any; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers of any form
    if (response.status !== 200) throw new Error(JSON.stringify(body));
    const plans: readonly Plan[] = body.meta.explain.commands.map(({ plan }: { plan: Plan }) => plan);
    const most = Math.max(...plans.flatMap(({ keysExamined, documentsExamined }) => [keysExamined, documentsExamined]));
    return { body, most, indexes: plans.map(({ index }) => index) };
  }

  for (const [query, documents] of lists)
    it(`${query || 'no sort'}: pages 1, 200 and 2,000 examine at most ${String(documents)} documents`, async () => {
      const first = await read(query, 'pagination[limit]=5&pagination[cursors]=true');
      expect(first.most, 'page 1').to.be.within(1, documents);
      for (const page of [200, 2_000]) {
        const before = await read(query, `pagination[limit]=${String(5 * (page - 1))}&pagination[cursors]=true`);
        const { cursors } = before.body.meta.pagination;
        const { most, body, indexes } = await read(query, `pagination[limit]=5&pagination[after]=${cursors.end}`);
        expect(body.data).to.have.length(5);
        expect(most, `page ${String(page)} by ${indexes.join()}`).to.be.within(1, documents);
        const back = await read(query, `pagination[limit]=5&pagination[before]=${cursors.end}`);
        expect(back.most, `before page ${String(page)}`).to.be.within(1, documents);
      }
    });
});

interface Plan {
  readonly index: string | null;
  readonly keysExamined: number;
  readonly documentsExamined: number;
}
