import { isStandIn, standInReason } from '#settings/stand-in.js';
import { messageOf } from '#base/errors.js';
import type { Jobs } from '#base/jobs.js';
import type { Observer } from '#base/observe/observer.js';
import { isRecord, type Values } from '#base/values.js';
import type { StrapiConfig } from '../load/strapi-config.js';
import { timesOf, type NextTime } from './cron-times.js';

/** A task of code. `date` is the time of the rule. */
type Task = (context: { readonly strapi: unknown }, date: Date) => unknown;

interface Added {
  /** The name for `remove`; null for a task whose key is its rule. */
  readonly name: string | null;
  readonly options: unknown;
  readonly key: string;
  readonly task: Task;
  /** Returns the time of the next run. */
  readonly at: NextTime;
  /** Stops the job; null while it is not started. */
  stop: (() => Promise<void>) | null;
}

interface CronInput {
  readonly observer: Observer;
  readonly strapi: () => unknown;
  /** Returns the jobs of the service. Throws a 503 until the database has answered. */
  readonly jobs: () => Jobs;
}

/** `strapi.cron` of Strapi v4. */
export interface StrapiCron {
  /** Adds tasks by name, or by rule. Throws an Error for one without a function. A rule that is not valid is reported, and never runs. */
  add(tasks?: Values): StrapiCron;
  /** Removes the tasks with a name. */
  remove(name: string): StrapiCron;
  /** Starts the tasks. The service does so after `bootstrap`. */
  start(): StrapiCron;
  stop(): StrapiCron;
  /** Stops and removes all tasks. */
  destroy(): StrapiCron;
  readonly jobs: readonly { readonly name: string | null; readonly options: unknown }[];
}

/**
 * The tasks of a project. They run after `bootstrap`, each on one instance of the service at a time, and once for each time of
 * its rule. A run does not overlap with another one of the same task.
 */
export class ProjectCron implements StrapiCron {
  readonly #input: CronInput;
  #tasks: readonly Added[] = [];
  #isRunning = false;

  constructor(input: CronInput) {
    this.#input = input;
  }

  get jobs(): StrapiCron['jobs'] {
    return this.#tasks.map(({ name, options }) => ({ name, options }));
  }

  readonly add = (tasks: Values = {}): this => {
    for (const [key, written] of Object.entries(tasks)) {
      const absent = standInReason(written);
      if (absent !== null) {
        this.#warn(key, absent);
        continue;
      }
      const { task, ...named } = readTask(key, written, tasks);
      try {
        const added: Added = { ...named, key, task, at: timesOf(named.options), stop: null };
        this.#tasks = [...this.#tasks, added];
        if (this.#isRunning) this.#begin(added);
      } catch (error) {
        this.#warn(key, messageOf(error));
      }
    }
    return this;
  };

  readonly remove = (name: string): this => {
    if (!name) throw new Error('You must provide a name to remove a cron job.');
    for (const one of this.#tasks) if (one.name === name) void one.stop?.();
    this.#tasks = this.#tasks.filter((one) => one.name !== name);
    return this;
  };

  readonly start = (): this => {
    this.#isRunning = true;
    for (const one of this.#tasks) this.#begin(one);
    return this;
  };

  readonly stop = (): this => {
    this.#isRunning = false;
    for (const one of this.#tasks) {
      void one.stop?.();
      one.stop = null;
    }
    return this;
  };

  readonly destroy = (): this => {
    this.stop();
    this.#tasks = [];
    return this;
  };

  #warn(key: string, reason: string): void {
    this.#input.observer.observe({ kind: 'code warned', text: `the cron task "${key}" never runs: ${reason}` });
  }

  #begin(added: Added): void {
    const { observer, strapi, jobs } = this.#input;
    const { key, task, at } = added;
    const run = async (_signal: AbortSignal, date: Date): Promise<void> => {
      try {
        await task({ strapi: strapi() }, date);
      } catch (err) {
        observer.observe({ kind: 'code failed', text: `the cron task "${key}" has failed: ${messageOf(err)}`, err });
        throw err;
      }
    };
    added.stop ??= jobs().start({ name: this.#nameOf(added), at, lease: true, failure: null, run });
  }

  /** Returns a name that all instances give to a task. Tasks with the same key are numbered. */
  #nameOf(added: Added): string {
    const same = this.#tasks.filter(({ key }) => key === added.key).indexOf(added);
    return `cron ${added.key}${same > 0 ? ` ${String(same + 1)}` : ''}`;
  }
}

/** Returns the tasks in config/server. Those of a package that is not installed are one task, which never runs. */
export function tasksIn(config: StrapiConfig): Values {
  const tasks: unknown = config.get('server.cron.enabled', true) ? config.get('server.cron.tasks') : {};
  if (isStandIn(tasks)) return { 'cron.tasks': tasks };
  return isRecord(tasks) ? tasks : {};
}

/** Returns a task in one of its two forms: `{ 'RULE': function }`, or `{ NAME: { task: function, options: RULE } }`. */
function readTask(key: string, written: unknown, tasks: Values): Pick<Added, 'name' | 'options' | 'task'> {
  if (typeof written === 'function') return { name: null, options: key, task: written.bind(tasks) as Task }; // as code wrote it
  const { task, options } = isRecord(written) ? written : {};
  if (typeof task !== 'function') throw new Error(`Could not schedule a cron job for "${key}": no function found.`);
  return { name: key, options, task: task.bind(written) as Task }; // as code wrote it
}
