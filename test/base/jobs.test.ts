import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Jobs } from '#base/jobs.js';
import { leasesIn } from '#store/stores/claim.js';
import type { ObservationOf } from '#base/observe/observation.js';
import { Observer } from '#base/observe/observer.js';
import { ownIdentity } from '#base/processes.js';
import { collections } from '#model/schema/collections.js';
import { killedProcess } from '../support/killed-process.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

type Job = Parameters<Jobs['start']>[0];

type Ended = Pick<ObservationOf<'job ended'>, 'job' | 'err'>;

/** The background work of one instance, and what it has reported. */
interface Instance {
  readonly jobs: Jobs;
  readonly ended: Ended[];
}

/** Waits for a condition. The limit of the test ends the wait. */
async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await delay(5);
}

/** A schedule of one run, which is due at a time. */
const once = (time: Date) => {
  const times = [time];
  return { at: (): Date | null => times.shift() ?? null };
};

describe('jobs', () => {
  let fresh: FreshDatabase;
  const instances: Instance[] = [];
  before(async () => {
    fresh = await freshDatabase();
  });
  after(async () => {
    await Promise.all(instances.map(({ jobs }) => jobs.close()));
    await fresh.drop();
  });

  const instance = (): Instance => {
    const ended: Ended[] = [];
    const observer = new Observer({ 'job ended': ({ job, err }) => void ended.push({ job, err }) });
    const one = { jobs: new Jobs(observer, leasesIn(databaseOf(fresh))), ended };
    instances.push(one);
    return one;
  };
  const claims = () => fresh.db.collection<{ _id: string; holder: string }>(collections.claims);

  it('run again and again, and go on after an error', async () => {
    const { jobs, ended } = instance();
    let runs = 0;
    jobs.start({
      name: 'often',
      every: 1,
      run: async (): Promise<void> => {
        runs += 1;
        if (runs === 2) await Promise.reject(new Error('no'));
      },
    });
    await until(() => runs >= 4);
    await jobs.close();
    expect(ended.slice(0, 3).map(({ job, err }) => [job, err && String(err)])).to.deep.equal([
      ['often', null],
      ['often', 'Error: no'],
      ['often', null],
    ]);
  });

  const schedules: readonly (readonly [title: string, schedule: object, outcome: number | Error])[] = [
    ['begin at once if they are eager', { every: 3_600_000, isEager: true }, 3_600_000],
    ['return the time until the next run', { every: 3_600_000, isEager: true }, 1],
    ['are tried again soon', { every: 3_600_000, isEager: true, retry: 1 }, new Error('no')],
    ['end with their schedule', once(new Date()), 1],
  ];
  for (const [title, schedule, outcome] of schedules)
    it(title, async () => {
      const { jobs, ended } = instance();
      const run = (): Promise<number> => (typeof outcome === 'number' ? Promise.resolve(outcome) : Promise.reject(outcome));
      jobs.start({ name: title, run, ...schedule } as unknown as Job); // a row of the table
      await until(() => ended.length >= (outcome === 3_600_000 ? 1 : 'at' in schedule ? 1 : 3));
      await jobs.close();
      if (outcome === 3_600_000) expect(ended).to.have.length(1);
    });

  it('do not overlap, and get a signal when they are stopped', async () => {
    const { jobs } = instance();
    let [underWay, most] = [0, 0];
    let wasAborted = false;
    const stop = jobs.start({
      name: 'long',
      at: (after) => new Date(after.getTime() + 1),
      run: async (signal) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await delay(3_600_000, undefined, { signal }).catch(() => undefined);
        wasAborted = signal.aborted;
        underWay -= 1;
      },
    });
    await until(() => underWay === 1);
    await stop();
    expect([most, wasAborted]).to.deep.equal([1, true]);
  });

  /** What is stored of a job, whether a run for the time 5000 begins then, and for a job that runs every second. */
  const stored: readonly (readonly [title: string, document: object | null, atTime: boolean, everySecond: boolean])[] = [
    ['nothing', null, true, true],
    ['a run for an earlier time', { until: new Date(1), ran: new Date(4_000) }, true, true],
    ['a run for the same time', { until: new Date(1), ran: new Date(5_000) }, false, true],
    ['a run for a later time, by an instance whose clock is ahead', { until: new Date(1), ran: new Date(6_000) }, false, true],
    ['a run that begins now', { until: new Date(1), ran: new Date(Date.now() + 3_600_000) }, false, false],
    ['a run under way', { until: new Date(Date.now() + 3_600_000), ran: new Date(4_000) }, false, false],
    ['a run whose instance has died', { until: new Date(1), ran: new Date(4_000) }, true, true],
  ];
  for (const [title, document, atTime, everySecond] of stored)
    for (const [kind, due, isRun] of [
      ['at a time', new Date(5_000), atTime] as const,
      ['every second', 1_000, everySecond] as const,
    ])
      it(`with a lease ${isRun ? 'run' : 'do not run'} ${kind} after ${title}`, async () => {
        const name = `${title} ${kind}`;
        if (document !== null) await claims().replaceOne({ _id: `job ${name}` }, { holder: 'x', ...document }, { upsert: true });
        let runs = 0;
        const held = await leasesIn(databaseOf(fresh)).hold(name, due, () => {
          runs += 1;
          return Promise.resolve();
        });
        expect([held, runs]).to.deep.equal([isRun, isRun ? 1 : 0]);
      });

  for (const [what, isKilled] of [
    ['was killed on this machine', true],
    ['runs', false],
  ] as const)
    it(`with a lease ${isKilled ? 'run' : 'do not run'} at once if the process that holds it ${what}`, async function () {
      if (process.platform !== 'linux') this.skip();
      const name = `of a process that ${what}`;
      const owner = isKilled ? await killedProcess() : ownIdentity();
      const until = new Date(Date.now() + 3_600_000);
      await claims().insertOne({ _id: `job ${name}`, holder: 'x', until, owner, ran: new Date(1) } as never);
      const held = await leasesIn(databaseOf(fresh)).hold(name, 1_000, () => Promise.resolve());
      expect(held).to.equal(isKilled);
      expect((await claims().findOne({ _id: `job ${name}` }))?.holder === 'x').to.equal(!isKilled);
    });

  it('get their signal also if they are stopped while their lease is taken', async () => {
    let take = (): void => undefined;
    const taken = new Promise<void>((resolve) => (take = resolve));
    const hold = async (_name: string, _due: unknown, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> => {
      await taken;
      await work(new AbortController().signal);
      return true;
    };
    let isAborted: boolean | null = null;
    const run = (signal: AbortSignal): Promise<void> => Promise.resolve(void (isAborted = signal.aborted));
    const stop = new Jobs(new Observer(), { hold }).start({ name: 'late', every: 1, isEager: true, lease: true, run });
    await new Promise((resolve) => setImmediate(resolve));
    const stopped = stop();
    take();
    await stopped;
    expect(isAborted).to.not.equal(false);
  });

  it('with a lease run once for each time on all instances', async () => {
    const all = Array.from({ length: 8 }, instance);
    const time = new Date();
    let runs = 0;
    const done = all.map(async ({ jobs }) => {
      const checked = new Promise<void>((resolve) => {
        const times = [time];
        const at = (): Date | null => times.shift() ?? (resolve(), null);
        jobs.start({ name: 'shared', at, lease: true, run: () => Promise.resolve(void (runs += 1)) });
      });
      await checked;
    });
    await Promise.all(done);
    expect(runs).to.equal(1);
    expect(all.flatMap(({ ended }) => ended)).to.have.length(1);
  });

  it('with a lease run on one instance at a time, and on another one when its instance has stopped', async () => {
    const [first, second] = [instance(), instance()];
    let [underWay, most] = [0, 0];
    const run = async (): Promise<void> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await fresh.db.command({ ping: 1 });
      underWay -= 1;
    };
    for (const { jobs } of [first, second]) jobs.start({ name: 'turns', every: 1, lease: true, run });
    await until(() => first.ended.length > 3);
    await first.jobs.close();
    const before = second.ended.length;
    await until(() => second.ended.length > before + 3);
    expect(most).to.equal(1);
  });
});
