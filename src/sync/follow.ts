import type { Step } from './read-step.js';
import type { Begun, SyncService } from './sync-service.js';
import type { SyncSession } from './sync-session.js';
import { resetError } from './token.js';
import type { Waiting } from './waiting.js';

interface Following {
  readonly session: SyncSession;
  readonly service: SyncService;
  readonly begun: Begun;
  readonly ends: AbortSignal;
  /** Called every 15 s while there is nothing new. */
  readonly beat: () => void;
  /** Takes a step. Resolves when the client can take the next one. */
  readonly take: (step: Step) => Promise<void>;
}

/** Takes the steps of a client: all that is stored, then each one as soon as something changes, until the signal aborts. */
export async function follow({ session, service, begun, ends, beat, take }: Following): Promise<void> {
  const { reader, hub } = service;
  let { position, state, seen } = begun;
  const handle = session.handle(state);
  while (!ends.aborted) {
    const step = await reader.step(session, position, state);
    await take(step);
    ({ next: position } = step);
    for (let isBehind = step.more; !isBehind && !ends.aborted;) {
      const waiting: Waiting = { session, position, epoch: state.epoch, seen, deadline: null, beat, ends };
      const outcome = await hub.wait(waiting);
      if (outcome.kind === 'failed') throw outcome.error;
      if (outcome.kind === 'step') await take(outcome.step);
      position = outcome.kind === 'step' ? outcome.step.next : waiting.position;
      seen = outcome.kind === 'step' ? outcome.seen : seen;
      isBehind = outcome.kind === 'again' || (outcome.kind === 'step' && outcome.step.more);
    }
    if (ends.aborted) return;
    await session.look();
    ({ state, seen } = await reader.followed(session.sight, ends));
    if (session.handle(state) !== handle) throw resetError('Rights, models or the query have changed');
  }
}
