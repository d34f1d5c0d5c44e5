import { expect } from 'chai';
import { freshDatabase } from '../support/mongo.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../support/serve.js';

type Attributes = Readonly<Record<string, object>>;

const article = (attributes: Attributes, rest: object = {}): TestModel => ({
  uid: 'api::article.article',
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  attributes,
  ...rest,
});

const tag: TestModel = {
  uid: 'api::tag.tag',
  kind: 'collectionType',
  collectionName: 'tags',
  info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' },
  attributes: { name: { type: 'string' } },
};

const seo = (attributes: Attributes): TestModel => ({ uid: 'shared.seo', info: { displayName: 'Seo' }, attributes });

/** Resolves when no rename is under way on any of these instances. */
async function moved(...services: readonly Serving[]): Promise<void> {
  for (const { server } of services)
    for (;;) {
      const { models } = server.backend ?? {};
      if (models === undefined) throw new Error('not connected');
      await models.load();
      if (models.renames.moving().size === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

interface RenameCase {
  readonly about: string;
  readonly before: readonly TestModel[];
  readonly after: readonly TestModel[];
  readonly documents: Readonly<Record<string, readonly object[]>>;
  /** Requests whose answers have the value, and the expected parts of them. */
  readonly reads: readonly (readonly [path: string, expected: unknown])[];
}

const title = { type: 'string', renamedFrom: 'title' };

const cases: readonly RenameCase[] = [
  {
    about: 'a unique, indexed scalar',
    before: [article({ title: { type: 'string', unique: true } })],
    after: [article({ headline: { ...title, unique: true } })],
    documents: { articles: [{ _id: 1, title: 'one' }, { _id: 2, title: 'two' }] },
    reads: [
      ['/api/articles?sort=headline:desc&fields=headline', ['two', 'one']],
      ['/api/articles?filters[headline][$eq]=two', ['two']],
      ['/api/articles?filters[title][$eq]=two&sort=title&fields=title', ['two']],
    ],
  },
];

describe('an attribute with renamedFrom', function () {
  this.timeout(60_000);

  for (const { about, before, after, documents, reads } of cases)
    it(`keeps the values of ${about}`, async () => {
      const database = await freshDatabase();
      const serving = await serveModels({ models: [...before, tag], documents, database });
      try {
        await storeModels(database, after);
        await moved(serving);
        for (const [path, expected] of reads) {
          const { status, body } = await serving.call('GET', path);
          expect(status, JSON.stringify(body)).to.equal(200);
          expect(body.data.map(({ attributes }: { attributes: Record<string, unknown> }) => attributes['headline'])).to.deep.equal(expected);
        }
        expect(await database.db.collection('articles').countDocuments({ title: { $exists: true } })).to.equal(0);
      } finally {
        await serving.stop();
        await database.drop();
      }
    });
});
void seo;
