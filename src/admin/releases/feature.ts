import { forJob } from '#store/send/database.js';
import type { Feature } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import { releaseCollection, releasesDeclaration } from './declaration.js';
import { isAnyScheduled } from './release.js';

/** Milliseconds between two looks for releases whose time has come, if the next one is not known. */
const lookEvery = 1_000;

const job = 'release';

/** Releases, which are carried out at their times on one instance at a time. Their routes are those of the admin API. */
export const releases: Feature = {
  name: 'releases',
  ...releasesDeclaration,
  isEnabled: (config) => config.admin.enabled,
  start: (running) => {
    if (running.backend.store.database.isReplicated) follow(running);
    return undefined;
  },
};

/** Starts the job whenever there is an open release with a time. It ends when it finds none. */
function follow(running: RunningService): void {
  const { jobs, store } = running.backend;
  const own = forJob(store.database, job);
  let end: (() => Promise<void>) | null = null;
  const run = async (ended: AbortSignal): Promise<number> => {
    const wait = await (await import('./publish-due.js')).publishDue(running, ended);
    if (wait !== null) return wait;
    void end?.();
    end = null;
    look(); // one may have got a time meanwhile
    return lookEvery;
  };
  const update = async (): Promise<void> => {
    const isWanted = await isAnyScheduled(own).catch(() => true); // the job tries again
    if (isWanted) end ??= jobs.start({ name: job, every: lookEvery, lease: true, run });
  };
  let updating = Promise.resolve();
  const look = (): void => {
    updating = updating.then(update);
  };
  store.changes.onChange([releaseCollection], look);
  look();
}
