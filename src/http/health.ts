import { withinTime } from '#base/limits/clock.js';
import { ping } from '#store/send/connection.js';
import { record, type Schema } from './json-schema.js';
import { answers, json, type Operation } from './operation.js';
import type { Answer, OpenRoute } from './route.js';
import type { RouteRequest } from './route-request.js';
import type { Connection, RunningService } from './running.js';

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
  fails: (request: RouteRequest, running: RunningService | null) => Promise<boolean> = () => Promise.resolve(false),
): readonly OpenRoute[] => [
  {
    method: 'ALL',
    path: '/_health',
    action: null,
    settings,
    operation: healthOperation,
    handle: async ({ request, connection }) => ({ status: (await fails(request, connection.running)) ? 503 : 204 }),
  },
  {
    method: 'ALL',
    path: '/_health/ready',
    action: null,
    operation: readyOperation,
    page: { name: 'Health', about: 'whether requests can be answered' },
    settings,
    handle: async ({ connection }) => {
      if (connection.isStopping) return readiness([['stopping', false]]);
      const names = Object.keys(checks);
      return readiness(await Promise.all(names.map(async (name) => [name, await passes(checks[name], connection)] as const)));
    },
  },
];

const settings = { isBare: true } as const;

const healthOperation: Operation = {
  id: 'health',
  summary: 'Check that the process runs',
  tag: 'Health',
  answers: { 204: { description: 'The process runs' } },
};

const status: Schema = { type: 'string', enum: ['ok', 'failed'] };
const readinessSchema = record({ status, checks: { type: 'object', additionalProperties: status } });

const readyOperation: Operation = {
  id: 'ready',
  summary: 'Check whether the service is ready',
  tag: 'Health',
  answers: {
    ...answers(readinessSchema, 'The service is ready'),
    503: { description: 'The service is not ready', content: json(readinessSchema) },
  },
};

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
