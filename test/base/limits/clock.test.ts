import { expect } from 'chai';
import { MongoServerError } from 'mongodb';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, WaitTime, withinTime } from '#base/limits/clock.js';
import { untilAnswered } from '#store/send/calls.js';
import { freshDatabase } from '../../support/mongo.js';

const refused = new MongoServerError({ message: 'not primary', code: 10107 });
const broken = new MongoServerError({ message: 'bad value', code: 2 });

const cases: readonly (readonly [name: string, limit: number, errors: readonly Error[], result: number | Error])[] = [
  ['an answer at once', 60_000, [], 1],
  ['a former primary that refuses several times', 60_000, [refused, refused, refused], 4],
  ['an error that has nothing to do with a failover', 60_000, [broken], broken],
  ['a failover after the time limit', -1, [refused], refused],
];

describe('a command that is repeated until a primary answers', () => {
  for (const [name, limit, errors, result] of cases)
    it(name, async () => {
      let attempts = 0;
      const run = (): Promise<number> => {
        const error = errors[attempts++];
        return error === undefined ? Promise.resolve(attempts) : Promise.reject(error);
      };
      expect(await untilAnswered(limit, run).catch((error: unknown) => error)).to.equal(result);
    });
});

describe('the limit of a command', () => {
  it('is not exceeded by a reply that came while the process was stopped', async () => {
    const database = await freshDatabase();
    const ping = (): Promise<unknown> => database.db.command({ ping: 1 });
    await ping();
    const reply = withinTime(260, ping);
    await new Promise(setImmediate); // the command is sent
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    expect(await reply).to.include({ ok: 1 });
    await database.drop();
  });
});

describe('the time that a request waits', () => {
  const slow = (): Promise<unknown> => delay(20);
  const limits = async (time: WaitTime): Promise<number | string> =>
    time.run(1_000, (limit) => Promise.resolve(limit)).catch(({ status }: { status: number }) => `refused: ${String(status)}`);

  it('limits work to the rest of it, at most to the limit of the work, and refuses work once it is spent', async () => {
    expect(await limits(new WaitTime(5_000))).to.equal(1_000);
    const time = new WaitTime(10);
    expect(await limits(time)).to.equal(10);
    await time.run(1_000, slow);
    expect(await limits(time)).to.equal('refused: 503');
    time.renew();
    expect(await limits(time)).to.equal(10);
  });

  it('does not count work that is quick', async () => {
    const time = new WaitTime(1_000);
    for (let times = 0; times < 50; times += 1) await time.run(1_000, () => Promise.resolve());
    expect(await limits(time)).to.equal(1_000);
  });
});

describe('the clock of work in several parts', () => {
  const never = new Promise<never>(() => undefined);
  const late = (): Error => new Error('late');
  const message = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => (error as Error).message); // thrown below

  it('rejects at the end of its time, aborts its signal, and allows no further part', async () => {
    const clock = new Clock();
    const heard: unknown[] = [];
    clock.addEventListener('abort', () => heard.push(clock.reason));
    clock.allow(60_000, { late: () => new Error('of an earlier part') });
    clock.allow(1, { late });
    expect(await message(clock.race(never))).to.equal('late');
    expect([clock.aborted, heard.length]).to.deep.equal([true, 1]);
    expect(() => {
      clock.allow(60_000, { late });
    }).to.throw('late');
  });

  it('tells that work is slow before its time is over', async () => {
    const clock = new Clock();
    let slow = 0;
    clock.allow(1_001, { late, slow: () => (slow += 1) });
    expect(await message(clock.race(never))).to.equal('late');
    expect(slow).to.equal(1);
  });

  it('settles as the work does', async () => {
    const clock = new Clock();
    clock.allow(60_000, { late });
    expect(await clock.race(Promise.resolve(1))).to.equal(1);
    expect(await message(clock.race(Promise.reject(new Error('of the work'))))).to.equal('of the work');
  });
});
