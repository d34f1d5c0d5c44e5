import type { RouteCall } from '../http/route.js';
import type { Step } from './read-step.js';
import type { Begun, SyncService } from './sync-service.js';
import type { SyncSession } from './sync-session.js';

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
  if (wait === 0 || first.changes.length > 0 || first.more || ends === undefined) return first;
  const leave = connections.enter(session.sender);
  try {
    const deadline = performance.now() + 1_000 * wait;
    const waiting = { session, position: first.next, epoch: begun.state.epoch, seen: begun.seen, deadline, ends };
    const outcome = await hub.wait(waiting);
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'step') return outcome.step;
    return { changes: [], next: waiting.position, more: outcome.kind === 'again' };
  } finally {
    leave();
  }
}
