import type { RouteCall } from '#http/route.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { Step } from './read-step.js';
import type { SyncHub } from './sync-hub.js';
import type { Begun, SyncService } from './sync-service.js';
import type { SyncSession } from './sync-session.js';
import type { Outcome, Waiter, Waiting } from './waiting.js';

interface Polling {
  readonly session: SyncSession;
  readonly service: SyncService;
  readonly begun: Pick<Begun, 'position' | 'state' | 'seen'>;
  /** Seconds to wait for a change. */
  readonly wait: number;
}

/** Reads the next step. If there is none, waits for it. */
export async function nextStep({ ends }: Pick<RouteCall, 'ends'>, { session, service, begun, wait }: Polling): Promise<Step> {
  const { reader, hub, connections } = service;
  const first = await reader.step(session, begun.position, begun.state);
  if (wait === 0 || first.changes.length > 0 || first.more || ends === undefined || ends.aborted) return first;
  connections.enter(session.sender);
  try {
    const deadline = performance.now() + 1_000 * wait;
    const waiting = { session, position: first.next, epoch: begun.state.epoch, seen: begun.seen, deadline };
    const { outcome, position } = await waitIn(hub, waiting, ends);
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'step') return outcome.step;
    return { ...first, next: position, more: outcome.kind === 'again' };
  } finally {
    connections.leave(session.sender);
  }
}

interface Heard {
  readonly outcome: Outcome;
  readonly position: Waiting['position'];
}

/** Waits until something changes, the time is over or the signal aborts. */
const waitIn = (hub: SyncHub, waiting: Omit<Waiting, 'waiter'>, ends: EndSignal): Promise<Heard> =>
  new Promise((resolve) => {
    const heard: Waiter['heard'] = (outcome, { position }) => {
      resolve({ outcome, position });
    };
    const own: Waiting = { ...waiting, waiter: { heard } };
    const end = (): void => {
      hub.end(own);
    };
    ends.addEventListener('abort', end);
    hub.listen(own);
  });
