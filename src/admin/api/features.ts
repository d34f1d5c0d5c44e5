import { contextOfCode } from '#api/code/content-of-code.js';
import { historyOption } from '#api/history/history-option.js';
import { keepingVersions } from '#api/history/keep-versions.js';
import type { Feature } from '#http/feature.js';
import { examinesReads } from '#store/read/costly-reads.js';
import { forJob } from '#store/send/database.js';
import { auditingWrites } from './content-audit.js';
import { adminModels } from '#model/schema/builtin-models.js';
import { startWebhooks } from '#api/webhooks/start-webhooks.js';
import { adminRoutes } from './admin-routes.js';
import { adminDeclarations } from './declarations.js';
import { shapesOf } from './query-shapes.js';

/** The admin API, and the versions of entries that it answers. */
export const admin: Feature = {
  name: 'admin',
  ...adminDeclarations.admin,
  options: [historyOption],
  isAdmin: true,
  isEnabled: (config) => config.admin.enabled,
  models: adminModels,
  routes: () => adminRoutes,
  start: (running) => {
    const { backend, config } = running;
    const { days } = config.admin.audit;
    const keeping = keepingVersions(() => contextOfCode(running));
    const ends = [keeping, ...(days > 0 ? [auditingWrites(days)] : [])].map((one) => backend.store.changes.subscribe(one));
    return Promise.resolve(() => Promise.resolve(ends.forEach((end) => end())));
  },
};

/** Tells other services of events. Its routes are those of the admin API and of the panel. */
export const webhooks: Feature = {
  name: 'webhooks',
  ...adminDeclarations.webhooks,
  start: startWebhooks,
};

/** Milliseconds between two times at which this instance stores the shapes of its reads. */
const pace = 60_000;

/** Notes which reads are slow, or have no index, for the state of the service in the admin API. */
export const queryShapes: Feature = {
  name: examinesReads,
  ...adminDeclarations.queryShapes,
  isEnabled: (config) => config.admin.enabled,
  observes: ({ server }) => Promise.resolve(shapesOf(server).consumer),
  start: ({ config, backend }) => {
    const own = forJob(backend.store.database, examinesReads);
    const failure = 'the shapes of slow reads could not be stored';
    backend.jobs.start({ name: examinesReads, every: pace, failure, run: () => shapesOf(config.server).store(own) });
    return undefined;
  },
};
