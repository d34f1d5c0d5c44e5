import type { Step } from './read-step.js';
import type { Begun, SyncService } from './sync-service.js';
import type { SyncSession } from './sync-session.js';
import { type Position, resetError } from './token.js';
import type { Outcome, Waiting } from './waiting.js';

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

/** Where a client is. It keeps nothing of the step before, because there may be thousands who wait. */
interface Reached {
  readonly position: Position;
  /** The version of the log signal before the last read. */
  readonly seen: number;
  /** Whether there is more to read now. */
  readonly isBehind: boolean;
}

/** Takes the steps of a client: all that is stored, then each one as soon as something changes, until the signal aborts. */
export async function follow({ session, service, begun, ends, beat, take }: Following): Promise<void> {
  const { reader, hub } = service;
  let { position, state, seen } = begun;
  const handle = session.handle(state);
  const taken = async (step: Step, seen: number): Promise<Reached> => {
    await take(step);
    return { position: step.next, seen, isBehind: step.more };
  };
  const heard = async (outcome: Outcome, { position, seen }: Waiting): Promise<Reached> => {
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'step') return taken(outcome.step, outcome.seen);
    return { position, seen, isBehind: outcome.kind === 'again' };
  };
  while (!ends.aborted) {
    let reached = await reader.step(session, position, state).then((step) => taken(step, seen));
    while (!reached.isBehind && !ends.aborted) {
      const { position, seen } = reached; // no spread, which would give each a hidden class of its own
      const waiting: Waiting = { session, position, epoch: state.epoch, seen, deadline: null, beat, ends };
      reached = await hub.wait(waiting).then((outcome) => heard(outcome, waiting));
    }
    if (ends.aborted) return;
    ({ position } = reached);
    await session.look();
    ({ state, seen } = await reader.followed(session.sight, ends));
    if (session.handle(state) !== handle) throw resetError('Rights, models or the query have changed');
  }
}
