import { expect } from 'chai';
import { boundDeliveries } from '#api/webhooks/deliveries.js';
import { storeDeliveries } from '#store/stores/delivery-store.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';

describe('deliveries of a webhook', () => {
  let fresh: FreshDatabase;
  beforeEach(async () => {
    fresh = await freshDatabase();
  });
  afterEach(() => fresh.drop());

  /** Deliveries that have ended and that wait, in turn, as many as are kept, and what is left. */
  const cases: readonly (readonly [
    ended: number,
    waiting: number,
    most: number,
    left: readonly [number, number],
    areTooMany: boolean,
  ])[] = [
    [3, 3, 10, [3, 3], false],
    [3, 3, 4, [2, 3], false],
    [3, 3, 3, [1, 3], false],
    [3, 3, 2, [1, 0], true],
    [4, 0, 2, [2, 0], false],
  ];
  for (const [ended, waiting, most, left, areTooMany] of cases)
    it(`${String(ended)} that have ended and ${String(waiting)} that wait, of which ${String(most)} are kept`, async () => {
      const database = databaseOf(fresh);
      const rows = fresh.db.collection<{ _id: string }>('_webhook_deliveries');
      const store = async (key: string, isEnded: boolean): Promise<void> => {
        for (const webhook of [1, 2])
          await storeDeliveries(database, [{ webhook, key, type: 'entry.create', body: '{}' }], new Date());
        if (isEnded) await rows.updateMany({ key }, { $set: { status: 'delivered' } });
      };
      for (let index = 0; index < Math.max(ended, waiting); index++) {
        if (index < ended) await store(`ended ${String(index)}`, true);
        if (index < waiting) await store(`waiting ${String(index)}`, false);
      }
      expect(await boundDeliveries(database, 1, most)).to.equal(areTooMany);
      const count = (webhook: number, status: string) => rows.countDocuments({ webhook, status });
      expect(await count(1, 'failed')).to.equal(areTooMany ? waiting : 0);
      expect([await count(1, 'delivered'), await count(1, 'pending')]).to.deep.equal(left);
      expect([await count(2, 'delivered'), await count(2, 'pending')]).to.deep.equal([ended, waiting]);
    });
});
