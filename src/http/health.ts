import { withinTime } from '../limits/clock.js';
import { ping } from '../mongo/connection.js';
import type { Answer, OpenRoute } from './route.js';
import type { Connection } from './running.js';

/** Returns whether a dependency works. A check fails if it throws, or takes longer than two seconds. */
export type Check = (connection: Connection) => Promise<boolean>;

/** Checks that must pass before the service is ready for requests. */
const readinessChecks: Readonly<Record<string, Check>> = {
  database: async ({ running }) => running !== null && ping(running.backend.store.database),
  bootstrap: ({ isPrepared }) => Promise.resolve(isPrepared),
};

/**
 * The health routes, for any method. `/_health` answers 204 while the process runs. `/_health/ready` answers 200 if all checks
 * pass, otherwise 503, with their results: `{ "status": "ok", "checks": { "database": "ok" } }`. It also answers 503 before the
 * service stops.
 */
export const healthRoutes = (checks: Readonly<Record<string, Check>> = readinessChecks): readonly OpenRoute[] => [
  { method: 'ALL', path: '/_health', action: null, settings, handle: () => ({ status: 204 }) },
  {
    method: 'ALL',
    path: '/_health/ready',
    action: null,
    settings,
    handle: async ({ connection }) => {
      if (connection.isStopping) return readiness([['stopping', false]]);
      const names = Object.keys(checks);
      return readiness(await Promise.all(names.map(async (name) => [name, await passes(checks[name], connection)] as const)));
    },
  },
];

const settings = { isBare: true } as const;

function readiness(results: readonly (readonly [name: string, passed: boolean])[]): Answer {
  const isReady = results.every(([, passed]) => passed);
  const word = (passed: boolean): string => (passed ? 'ok' : 'failed');
  return {
    status: isReady ? 200 : 503,
    headers: { 'Cache-Control': 'no-store' },
    body: { status: word(isReady), checks: Object.fromEntries(results.map(([name, passed]) => [name, word(passed)])) },
  };
}

const passes = (check: Check | undefined, connection: Connection): Promise<boolean> =>
  withinTime(2_000, async () => (await check?.(connection)) ?? false).catch(() => false);
