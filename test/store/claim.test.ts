import { expect } from 'chai';
import { claim } from '#store/stores/claim.js';
import { collections } from '#model/schema/collections.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

/** What is stored of a claim, and whether work may be done under its name. */
const cases: readonly (readonly [name: string, stored: object | null, isFree: boolean])[] = [
  ['nobody', null, true],
  ['a living holder', { holder: 'x', until: new Date(Date.now() + 3_600_000) }, false],
  ['a dead holder', { holder: 'x', until: new Date(Date.now() - 60_000) }, true],
];

describe('claim', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshDatabase();
  });
  after(() => fresh.drop());

  const stored = () => fresh.db.collection<{ _id: string }>(collections.claims);
  const run = (name: string, work: () => Promise<string>): Promise<string> =>
    claim(databaseOf(fresh), name, { work, busy: () => new Error('busy') }).catch((error: unknown) => (error as Error).message);

  for (const [name, document, isFree] of cases)
    it(`${isFree ? 'runs' : 'does not run'} work that is claimed by ${name}`, async () => {
      if (document !== null) await stored().insertOne({ _id: name, ...document });
      expect(await run(name, () => Promise.resolve('done'))).to.equal(isFree ? 'done' : 'busy');
      expect(await stored().countDocuments({ _id: name })).to.equal(isFree ? 0 : 1);
    });

  it('runs the work of one of many callers at a time', async () => {
    let end: (value: string) => void = () => undefined;
    const held = new Promise<string>((resolve) => (end = resolve));
    let refused = 0;
    const all = Array.from({ length: 20 }, async () => {
      const result = await run('many', () => held);
      if (result === 'busy') refused += 1;
      return result;
    });
    while (refused < 19) await fresh.db.command({ ping: 1 });
    end('done');
    expect((await Promise.all(all)).filter((result) => result === 'done')).to.deep.equal(['done']);
  });
});
