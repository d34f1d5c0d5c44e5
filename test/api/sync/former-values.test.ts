import { expect } from 'chai';
import { FormerValues } from '#store/stores/former-values.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';

const followed = new Map([['posts', new Set(['owner'])]]);

describe('former values of a collection', () => {
  let fresh: FreshDatabase;
  let warnings: string[];

  beforeEach(async () => {
    fresh = await freshDatabase();
    warnings = [];
  });
  afterEach(() => fresh.drop());

  /** Makes the first attempt fail, with a view in place of the collection. */
  const begin = async (pause: number): Promise<FormerValues> => {
    const values = new FormerValues({ database: databaseOf(fresh), warn: (text) => warnings.push(text), pause });
    await fresh.db.createCollection('posts', { viewOn: 'others', pipeline: [] });
    await values.keep(followed);
    await values.miss([], followed);
    expect(warnings.length).to.equal(1);
    expect(warnings[0]).to.match(/posts.*: it is tried again$/);
    await fresh.db.dropCollection('posts');
    await fresh.db.createCollection('posts');
    return values;
  };
  const isKept = async (): Promise<boolean> => {
    const [posts] = await fresh.db.listCollections({ name: 'posts' }).toArray();
    return JSON.stringify(posts).includes('changeStreamPreAndPostImages');
  };

  it('are kept with the next batch after a failure that passes', async () => {
    const values = await begin(0);
    await values.miss([], followed);
    expect([await isKept(), warnings.length]).to.deep.equal([true, 1]);
  });

  it('are tried again after a pause only', async () => {
    const values = await begin(60_000);
    await values.miss([], followed);
    expect([await isKept(), warnings.length]).to.deep.equal([false, 1]);
  });
});
