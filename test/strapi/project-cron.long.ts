import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Jobs } from '#base/jobs.js';
import { Observer } from '#base/observe/observer.js';
import { ProjectCron } from '#strapi/runtime/project-cron.js';
import { createLog, type Log } from '../support/create-log.js';
import { freshDatabase } from '../support/mongo.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

type Job = Parameters<Jobs['start']>[0];

/** Runs of tasks, by the name of the task: the time of the schedule. */
const runs: Record<string, Date[]> = {};
Object.assign(globalThis, { cronRuns: runs });

/** Code of a task that notes its run. */
const noting = (name: string): string =>
  `({ strapi }, date) => { if (!strapi.entityService) throw new Error('no strapi'); (cronRuns['${name}'] ??= []).push(date); }`;

const runsOf = (name: string): readonly Date[] => runs[name] ?? [];

/** Waits for a condition. The limit of the test ends the wait. */
async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await delay(10);
}

describe('strapi.cron', () => {
  describe('of a project', () => {
    let serving: ServedProject;
    let log: Log;
    before(async () => {
      log = await createLog();
      const files = {
        'config/cron-tasks.ts': `export default {
          named: { task: ${noting('named')}, options: { rule: '* * * * * *' } },
          short: { task: ${noting('short')}, options: '*/1 * * * * *' },
          '* * * * * *': ${noting('by rule')},
          inZone: { task: ${noting('in zone')}, options: { rule: '* * * * * *', tz: 'Asia/Dhaka' } },
          failing: { task: () => { (cronRuns.failing ??= []).push(new Date()); throw new Error('no luck'); }, options: '* * * * * *' },
          wrong: { task: ${noting('wrong')}, options: { rule: 'every second' } },
          nowhere: { task: ${noting('nowhere')}, options: { rule: '* * * * * *', tz: 'Nowhere/Else' } },
          absent: { task: require('no-such-package').task, options: { rule: '* * * * * *' } },
          over: { task: ${noting('over')}, options: { rule: '* * * * * *', end: new Date(0) } },
        };`,
        'config/server.ts': `import tasks from './cron-tasks'; export default () => ({ cron: { enabled: true, tasks } });`,
      };
      serving = await serveProject(files, { models: [], logger: log.logger });
    });
    after(() => serving.stop());

    for (const name of ['named', 'short', 'by rule', 'in zone'])
      it(`runs tasks of config/cron-tasks: ${name}`, async () => {
        await until(() => runsOf(name).length > 0);
        expect(runsOf(name)[0]?.getMilliseconds()).to.equal(0);
      });

    it('runs tasks again after an error, which is in the log', async () => {
      await until(() => runsOf('failing').length > 1);
      expect(log.lines.map(({ msg }) => msg)).to.include('the cron task "failing" has failed: no luck');
    });

    for (const [name, problem] of [
      ['wrong', /^the cron task "wrong" never runs: .*every second/],
      ['absent', /^the cron task "absent" never runs: module "no-such-package" is not installed/],
      ['nowhere', /^the cron task "nowhere" never runs: .*Nowhere\/Else/],
    ] as const)
      it(`warns of a task that never runs: ${name}`, () => {
        expect(log.lines.some(({ msg }) => problem.test(String(msg)))).to.equal(true);
        expect(runsOf(name)).to.have.length(0);
      });

    it('does not run a task after its end', () => {
      expect(runsOf('over')).to.have.length(0);
    });

    it('adds and removes tasks while the service runs', async () => {
      const { cron } = serving.strapi;
      let count = 0;
      cron.add({ later: { task: () => (count += 1), options: new Date(Date.now() + 50) } });
      cron.add({ often: { task: () => (count += 10), options: '* * * * * *' } });
      await until(() => count >= 11 && count % 10 === 1);
      cron.remove('often');
      expect(cron.jobs.map(({ name }: { name: string | null }) => name))
        .to.include('later')
        .and.not.include('often');
      expect(() => cron.add({ none: { options: '* * * * *' } })).to.throw('Could not schedule a cron job for "none"');
      expect(() => cron.remove('')).to.throw('You must provide a name');
    });
  });

  it('does not run the tasks of config/server if they are disabled, but those that code adds', async () => {
    const files = {
      'config/server.js': `module.exports = { cron: { enabled: false, tasks: { disabled: { task: ${noting('disabled')}, options: '* * * * * *' } } } };`,
      'src/index.js': `module.exports = { register: ({ strapi }) => strapi.cron.add({ own: { task: ${noting('own')}, options: '* * * * * *' } }) };`,
    };
    const serving = await serveProject(files, { models: [] });
    await until(() => runsOf('own').length > 1);
    await serving.stop();
    expect(runsOf('disabled')).to.have.length(0);
  });

  it('runs each task on one instance at a time, and on another one when its instance stops', async () => {
    const database = await freshDatabase();
    const task = `async ({ strapi }, date) => {
      const shared = (globalThis.cronShared ??= { underWay: 0, most: 0 });
      shared.most = Math.max(shared.most, (shared.underWay += 1));
      await strapi.entityService.count('plugin::upload.file');
      (cronRuns.shared ??= []).push(date);
      shared.underWay -= 1;
    }`;
    const files = {
      'config/server.js': `module.exports = { cron: { tasks: { shared: { task: ${task}, options: '* * * * * *' } } } };`,
    };
    const [first, second] = [
      await serveProject(files, { models: [], database }),
      await serveProject(files, { models: [], database }),
    ];
    await until(() => runsOf('shared').length > 2);
    await first.stop();
    const before = runsOf('shared').length;
    await until(() => runsOf('shared').length > before + 1);
    await second.stop();
    await database.drop();
    const times = runsOf('shared').map((date) => date.getTime());
    expect(new Set(times).size).to.equal(times.length);
    expect(Reflect.get(globalThis, 'cronShared')).to.deep.equal({ underWay: 0, most: 1 });
  });

  const after10 = '2026-01-15T10:00:00.500Z';
  /** Options of a task, and the time of its first run after the time above. */
  const rules: readonly (readonly [options: unknown, expected: string | null])[] = [
    [{ rule: '0 12 * * *', tz: 'UTC' }, '2026-01-15T12:00:00.000Z'],
    [{ rule: '0 12 * * *', tz: 'Asia/Tokyo' }, '2026-01-16T03:00:00.000Z'],
    [{ rule: '0 0 1 * * 1', tz: 'UTC' }, '2026-01-19T01:00:00.000Z'],
    [{ rule: '30 2 * * *', tz: 'Europe/Berlin', start: '2026-03-29T00:00:00Z' }, '2026-03-29T01:00:00.000Z'],
    [{ rule: '* * * * *', start: new Date('2027-01-01T00:00:00Z') }, '2027-01-01T00:00:00.000Z'],
    [{ rule: '* * * * *', end: new Date('2026-01-15T10:00:30Z') }, null],
    ['0/5 * * * *', '2026-01-15T10:05:00.000Z'],
    ['@hourly', '2026-01-15T11:00:00.000Z'],
    ['0 0 30 2 *', null],
    [new Date('2026-02-01T00:00:00Z'), '2026-02-01T00:00:00.000Z'],
    [{ rule: new Date('2026-01-01T00:00:00Z') }, null],
    ['2026-02-01T00:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['December 17, 2026 03:24:00 GMT', '2026-12-17T03:24:00.000Z'],
    [Date.parse('2026-02-01T00:00:00Z'), '2026-02-01T00:00:00.000Z'],
    [{ hour: 14, minute: 30, tz: 'UTC' }, '2026-01-15T14:30:00.000Z'],
    [{ rule: { hour: 14, minute: 30 }, tz: 'Asia/Tokyo' }, '2026-01-16T05:30:00.000Z'],
    [{ rule: { minute: [15, '45'], recurs: true, year: null, second: 0 } }, '2026-01-15T10:15:00.000Z'],
    [{ rule: { dayOfWeek: [0, { start: 1, end: 2 }], hour: 0, minute: 0 }, tz: 'UTC' }, '2026-01-18T00:00:00.000Z'],
    [{ rule: { date: 1, dayOfWeek: 1, month: 5, hour: 0, minute: 0 }, tz: 'UTC' }, '2026-06-01T00:00:00.000Z'],
    [{ rule: { year: 2028, month: 0, date: 1, hour: 0, minute: 0 }, tz: 'UTC' }, '2028-01-01T00:00:00.000Z'],
    [{ rule: { minute: { start: 0, end: 30, step: 15 } } }, '2026-01-15T10:15:00.000Z'],
    [{ rule: { second: [5] }, end: '2026-01-15T10:00:03Z' }, null],
    [{ tz: 'UTC' }, null],
    [{ rule: { minute: 'soon' } }, null],
  ];
  for (const [options, expected] of rules)
    it(`runs tasks with ${JSON.stringify(options)} at ${String(expected)}`, () => {
      const started: Job[] = [];
      const jobs = { start: (job: Job) => void started.push(job) } as unknown as Jobs; // the called method
      const cron = new ProjectCron({ observer: new Observer(), strapi: () => null, jobs: () => jobs });
      cron.add({ one: { task: () => undefined, options } }).start();
      const [job] = started;
      const next = job !== undefined && 'at' in job ? job.at(new Date(after10)) : undefined;
      expect(next?.toISOString() ?? null).to.equal(expected);
    });
});
