import { contextOfJob } from '../code/content-of-code.js';
import type { Feature } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import type { Registry } from '#model/schema/content-type.js';
import { hasSchedule, scheduleOption } from '#model/schema/scheduled.js';
import { DuePublisher } from './publish-due.js';

/** Milliseconds between two looks for entries whose time has come. */
const lookEvery = 1_000;

/** Publishes and unpublishes entries at the times that they state, on one instance at a time. */
export const schedule: Feature = {
  name: 'schedule',
  options: [scheduleOption],
  start: (running) => {
    follow(running);
    return undefined;
  },
};

/** Runs the job as long as there is a type with `pluginOptions.schedule.enabled`. */
function follow(running: RunningService): void {
  const { models, jobs } = running.backend;
  const name = 'schedule';
  const publisher = new DuePublisher(() => contextOfJob(name, running), jobs.observer);
  let stop: (() => Promise<void>) | null = null;
  const update = ({ types }: Registry): void => {
    const isWanted = [...types.values()].some(hasSchedule);
    if (!isWanted) void stop?.();
    stop = isWanted ? (stop ?? jobs.start({ name, every: lookEvery, lease: true, run: (ended) => publisher.run(ended) })) : null;
  };
  models.onChange(update);
  update(models.snapshot.registry);
}
