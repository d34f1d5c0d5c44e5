import type { Feature } from '../http/feature.js';
import { examinesReads } from '../mongo/read/costly-reads.js';
import { forJob } from '../mongo/send/database.js';
import { shapeCollection } from '../mongo/stores/shape-store.js';
import { shapesOf } from './query-shapes.js';

/** Milliseconds between two times at which this instance stores the shapes of its reads. */
const pace = 60_000;

/** Notes which reads are slow, or have no index, for the state of the service in the admin API. */
export const queryShapes: Feature = {
  name: examinesReads,
  isEnabled: (config) => config.admin.enabled,
  collections: [shapeCollection],
  observes: ({ server }) => Promise.resolve(shapesOf(server).consumer),
  start: ({ config, backend }) => {
    const own = forJob(backend.store.database, examinesReads);
    const failure = 'the shapes of slow reads could not be stored';
    backend.jobs.start({ name: examinesReads, every: pace, failure, run: () => shapesOf(config.server).store(own) });
    return undefined;
  },
};
