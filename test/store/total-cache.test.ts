import { published } from '#model/query/conditions.js';
import { expect } from 'chai';
import { unavailableError } from '#base/errors.js';
import { ChangeBus, type Change } from '#store/changes/changes.js';
import { TotalCache } from '#store/changes/total-cache.js';
import { endless, tooLate, WaitTime } from '#base/limits/clock.js';

const live = { collection: 'rows', match: { publishedAt: 1 }, condition: published };
const filtered = { collection: 'rows', match: { rank: 3 }, condition: null };
/** The limits of a request that waits as long as it takes. */
const patient = { maxTimeMS: { read: 120_000, write: 120_000 }, time: endless };
const entry = (publishedAt: Date | null, count: 1 | -1, begun: number): Change => ({
  kind: 'entry',
  count,
  document: { publishedAt },
  begun,
});

/** A count that ends on demand. */
function heldCount() {
  let end: (value: number) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  let calls = 0;
  const count = (): Promise<number> => {
    calls++;
    return new Promise((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
  };
  return { count, end: (value: number) => end(value), fail: (error: Error) => fail(error), calls: () => calls };
}

function listening() {
  const changes = new ChangeBus();
  changes.setListening(true);
  return { changes, totals: new TotalCache(changes) };
}

describe('TotalCache', () => {
  for (const [name, counted] of Object.entries({ live, filtered }))
    it(`counts what is ${name} once for all concurrent reads`, async () => {
      const { totals } = listening();
      const held = heldCount();
      const asked = [1, 2, 3].map(() => totals.read(counted, held.count, patient));
      held.end(7);
      expect(await Promise.all(asked)).to.deep.equal([7, 7, 7]);
      expect(held.calls()).to.equal(1);
    });

  it('counts by itself if another request was aborted', async () => {
    const { totals } = listening();
    const held = heldCount();
    const [first, second] = [
      totals.read(filtered, held.count, patient),
      totals.read(filtered, () => Promise.resolve(3), patient),
    ];
    held.fail(new Error('its client is gone'));
    await first.catch(() => undefined);
    expect(await second).to.equal(3);
    const slow = [1, 2].map(() => totals.read({ ...filtered, match: { rank: 4 } }, held.count, patient));
    held.fail(unavailableError('too slow', { code: 'QUERY_TIMEOUT' }));
    for (const one of slow) expect(await one.catch((error: Error) => error.message)).to.equal('too slow');
  });

  it('waits for the count of another request for as long as the request may wait for the database', async () => {
    const { totals } = listening();
    const held = heldCount();
    const first = totals.read(filtered, held.count, patient);
    const hurried = { maxTimeMS: { read: 10, write: 10 }, time: new WaitTime(15) };
    const late = await totals.read(filtered, held.count, hurried).catch((error: Error) => error);
    expect(late).to.deep.include({ status: 503, message: tooLate().message });
    const next = await hurried.time.run(10, () => Promise.resolve()).catch((error: Error) => error);
    expect(next).to.deep.include({ status: 503, message: tooLate().message });
    held.end(7);
    expect([await first, held.calls()]).to.deep.equal([7, 1]);
  });

  it('does not share a count with requests after a write', async () => {
    const { changes, totals } = listening();
    const held = heldCount();
    const before = totals.read(filtered, held.count, patient);
    changes.changed('rows', { kind: 'values' });
    expect(await totals.read(filtered, () => Promise.resolve(8), patient)).to.equal(8);
    held.end(7);
    expect(await before).to.equal(7);
  });

  /** Changes after a total of 10 was counted, and the cached total then. */
  const cases: readonly (readonly [string, readonly ((tick: number) => Change)[], number | null])[] = [
    ['values', [() => ({ kind: 'values' })], 10],
    ['a published entry', [(tick) => entry(new Date(), 1, tick)], 11],
    ['a draft', [(tick) => entry(null, 1, tick)], 10],
    [
      'one deleted entry and two new ones',
      [-1, 1, 1].map((count) => (tick: number) => entry(new Date(), count as 1 | -1, tick)),
      11,
    ],
    ['an entry that was sent before the count ended', [() => entry(new Date(), 1, 0)], null],
    ['anything', [() => ({ kind: 'any' })], null],
  ];
  for (const [name, changed, known] of cases)
    it(`has ${String(known)} cached after ${name}`, async () => {
      const { changes, totals } = listening();
      await totals.read(live, () => Promise.resolve(10), patient);
      for (const change of changed) changes.changed('rows', change(changes.tick()));
      expect(totals.cachedTotal(live)).to.equal(known);
    });

  it('caches the total of a filter by its query, until a write', async () => {
    const { changes, totals } = listening();
    await totals.read(filtered, () => Promise.resolve(7), patient);
    expect(totals.cachedTotal({ ...filtered, match: { rank: 3 } })).to.equal(7);
    expect(totals.cachedTotal({ ...filtered, match: { rank: 4 } })).to.equal(null);
    for (const write of [{ kind: 'values' }, entry(null, 1, changes.tick()), { kind: 'any' }] satisfies Change[]) {
      changes.changed('rows', write);
      expect(totals.cachedTotal(filtered)).to.equal(null);
      await totals.read(filtered, () => Promise.resolve(7), patient);
    }
  });

  it('adjusts a total while another one is counted, which is not cached', async () => {
    const { changes, totals } = listening();
    const other = { ...live, match: { publishedAt: 2 }, condition: { ...published } };
    const held = heldCount();
    await totals.read(live, () => Promise.resolve(10), patient);
    const counting = totals.read(other, held.count, patient);
    changes.changed('rows', entry(new Date(), 1, changes.tick()));
    held.end(10);
    await counting;
    expect([totals.cachedTotal(live), totals.cachedTotal(other)]).to.deep.equal([11, null]);
  });

  for (const [name, counted] of Object.entries({ live, filtered }))
    it(`caches no count of what is ${name} that was repeated during a create`, async () => {
      const { changes, totals } = listening();
      const [aborted, again] = [heldCount(), heldCount()];
      const asked = [totals.read(counted, aborted.count, patient), totals.read(counted, again.count, patient)] as const;
      aborted.fail(new Error('its client is gone'));
      await asked[0].catch(() => undefined);
      await new Promise(setImmediate);
      changes.changed('rows', entry(new Date(), 1, changes.tick()));
      again.end(10);
      expect(await asked[1]).to.equal(10);
      expect(totals.cachedTotal(counted)).to.equal(null);
    });

  for (const [name, write] of Object.entries({
    values: { kind: 'values' },
    any: { kind: 'any' },
    entry: entry(null, 1, 0),
  } as const))
    it(`caches no total that a command counted beside its page during a write of kind ${name}`, () => {
      const { changes, totals } = listening();
      const { match } = filtered;
      const keep = totals.keeper('rows');
      changes.changed('rows', write);
      keep(match, 50);
      expect(totals.cachedTotal(filtered)).to.equal(null);
      totals.keeper('rows')(match, 51);
      expect(totals.cachedTotal(filtered)).to.equal(51);
    });

  it('caches no count made during a create, and none while writes are not reported', async () => {
    const { changes, totals } = listening();
    const held = heldCount();
    const counting = totals.read(live, held.count, patient);
    changes.changed('rows', entry(new Date(), 1, changes.tick()));
    held.end(10);
    await counting;
    expect(totals.cachedTotal(live)).to.equal(null);
    changes.setListening(false);
    await totals.read(live, () => Promise.resolve(1), patient);
    expect(totals.cachedTotal(live)).to.equal(null);
  });
});
