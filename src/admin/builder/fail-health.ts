import { createHash } from 'node:crypto';
import { memoize } from '#base/caches.js';
import type { RouteRequest } from '#http/route-request.js';
import type { RunningService } from '#http/running.js';
import { panelOf } from '../panel.js';
import { bearerOf } from '../panel-route.js';

/** Most sessions that are remembered; beyond, all are forgotten. */
const mostSessions = 10_000;

/** Returns the sessions that have seen the health route fail since the last change of a model. */
const sessionsOf = memoize((running: RunningService): Set<string> => {
  const sessions = new Set<string>();
  running.backend.models.onChange(() => {
    sessions.clear();
  });
  return sessions;
});

/** Lets the health route fail once more for each session of the panel. */
export const failHealthOnce = (running: RunningService): void => {
  sessionsOf(running).clear();
};

/** Returns whether the health route fails for a request of the panel: once per session after each change of a model. */
export function failsOnce(request: RouteRequest, running: RunningService): boolean {
  const sessions = sessionsOf(running);
  const session = sessionOf(request, running);
  if (sessions.has(session)) return false;
  if (sessions.size >= mostSessions) sessions.clear();
  sessions.add(session);
  return true;
}

/** Returns the name of a session: the hash of its token, so that no header of a stranger is kept; the address without a log-in. */
function sessionOf(request: RouteRequest, running: RunningService): string {
  const token = bearerOf(request);
  if (typeof panelOf(running).tokens.verify(token) === 'string') return request.ip;
  return createHash('sha256').update(token).digest('hex');
}
