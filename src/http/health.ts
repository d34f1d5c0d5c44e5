import { ping } from '../mongo/connection.js';
import type { Answer, OpenRoute } from './route.js';
import type { Connection } from './running.js';

/** Returns whether a dependency works. A check that throws, or takes over two seconds, has failed. */
export type Check = (connection: Connection) => Promise<boolean>;

/** Checks that must pass before the service should get requests. */
const readinessChecks: Readonly<Record<string, Check>> = {
  database: async ({ running }) => running !== null && ping(running.backend.store.database),
  bootstrap: ({ isPrepared }) => Promise.resolve(isPrepared),
};

/**
 * `/_health`, any method: 204, the process is up. `/_health/ready`: 200 if every check passes, else 503, with the result of each by
 * name: `{ "status": "ok", "checks": { "database": "ok" } }`. 503 while the service is about to stop.
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
