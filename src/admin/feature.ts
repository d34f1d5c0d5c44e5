import { contextOfCode } from '../code/content-of-code.js';
import { auditingWrites } from '../history/audit-writes.js';
import { keepingVersions } from '../history/keep-versions.js';
import type { Feature } from '../http/feature.js';
import { contentAudit } from '../mongo/stores/content-audit.js';
import { historyCollection } from '../mongo/stores/history-store.js';
import { adminModels } from '../schema/builtin-models.js';
import { adminRoutes } from './admin-routes.js';

/** The admin API, and the versions of entries that it answers. */
export const admin: Feature = {
  name: 'admin',
  isAdmin: true,
  isEnabled: (config) => config.admin.enabled,
  collections: [historyCollection, contentAudit],
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
