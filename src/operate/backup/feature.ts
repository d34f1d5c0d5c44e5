import type { Feature } from '#http/feature.js';
import type { RunningService } from '#http/running.js';

/** Backups that the service makes by a schedule, on one instance at a time. */
export const backup: Feature = {
  name: 'backup',
  isEnabled: ({ backup: { schedule } }) => schedule !== null,
  start: async (running: RunningService) => {
    const { startBackups } = await import('./scheduled-backups.js');
    return startBackups(running);
  },
};
