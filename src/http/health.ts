import { ping } from '../mongo/connection.js';
import type { Answer, OpenRoute } from './route.js';
import type { RouteRequest } from './route-request.js';
import type { Connection, Running } from './running.js';

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
 * service stops. `fails` returns whether `/_health` answers 503 to a request.
 */
export const healthRoutes = (
  checks: Readonly<Record<string, Check>> = readinessChecks,
  fails: (request: RouteRequest, running: Running | null) => boolean = () => false,
): readonly OpenRoute[] => [
  {
    method: 'ALL',
    path: '/_health',
    action: null,
    settings,
    handle: ({ request, connection }) => ({ status: fails(request, connection.running) ? 503 : 204 }),
  },
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

async function passes(check: Check | undefined, connection: Connection): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, 2_000, false);
  });
  try {
    return await Promise.race([check?.(connection) ?? false, late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
