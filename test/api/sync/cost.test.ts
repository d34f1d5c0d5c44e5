import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { commandsDuring, explain } from '../../support/explain.js';
import { serveSync, type ServingSync } from './serve-sync.js';

const entry = (_id: number) => ({ _id, title: 't', rating: 5, locale: 'en', publishedAt: new Date(0) });

const serve = (size: number): Promise<ServingSync> =>
  serveSync({
    documents: { posts: Array.from({ length: size }, (_, index) => entry(index + 1)) },
    config: { api: { sync: { pageSize: 10_000 } } as object },
  });

/** Shapes, with the number of the ten changed entries that they contain. */
const shapes: readonly (readonly [shape: string, contained: number])[] = [
  ['posts', 10],
  ['posts?filters[rating][$gt]=3', 10],
  ['posts?filters[rating][$lt]=3', 0],
  ['posts?locale=fr', 0],
];

describe('the cost of a pull', () => {
  let small: ServingSync;
  let large: ServingSync;
  before(async () => {
    [small, large] = [await serve(100), await serve(2_000)];
  });
  after(async () => {
    await small.stop();
    await large.stop();
  });

  /** Returns the documents that the server examines for a client that reads ten changes, and how many of them it keeps. */
  async function examined(server: ServingSync, shape: string): Promise<readonly [documents: number, kept: number]> {
    const { db } = server.database;
    const copy = server.copyOf(server.editor, shape);
    await server.logged();
    await copy.pull();
    const title = randomUUID(); // another one if the test is run again
    await db.collection('posts').updateMany({ _id: { $lte: 10 } as never }, { $set: { title } });
    await server.logged();
    const client = server.server.backend?.store.database.client;
    const { commands } = await commandsDuring(client, ['find'], () => copy.step());
    const reads = commands.filter(({ find }) => find === 'posts' || find === '_changes');
    const examined = await Promise.all(reads.map((command) => explain(db, command)));
    const documents = examined.reduce((sum, { documentsExamined }) => sum + documentsExamined, 0);
    return [documents, [...copy.entries.values()].filter((held) => held['title'] === title).length];
  }

  for (const [shape, contained] of shapes)
    it(`grows with the changes, not with the collection: ${shape}`, async () => {
      const [ofSmall, ofLarge] = [await examined(small, shape), await examined(large, shape)];
      expect(ofLarge).to.deep.equal(ofSmall);
      expect(ofSmall[1]).to.equal(contained);
      expect(ofSmall[0]).to.be.within(10, 30);
    });
});
