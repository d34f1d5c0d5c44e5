import { ApiError } from '#base/errors.js';
import type { Answer, RouteCall } from '#http/route.js';
import { Ending } from '#base/limits/ending.js';
import { EventStream } from './event-stream.js';
import { Follower, type Receiver } from './follower.js';
import type { Step, SyncChange } from './read-step.js';
import { begin, type Begun, type SyncService, unstored } from './sync-service.js';
import { isReset, type SyncSession } from './sync-session.js';
import type { SyncTokens } from './token.js';

interface Streaming {
  readonly session: SyncSession;
  readonly service: SyncService;
  /** Null to begin a first load. */
  readonly token: string | null;
}

/**
 * Answers with a stream of events. If the client was connected before, goes on after the last event that it has received; if that is
 * impossible, the only event is a reset.
 */
export async function answerEvents(call: RouteCall, { session, service, token }: Streaming): Promise<Answer> {
  const { request, ends = new Ending() } = call;
  const last = request.headers['last-event-id'];
  const isAgain = typeof last === 'string' && last !== '';
  const headers = { ...unstored, 'Content-Type': 'text/event-stream; charset=utf-8' };
  const begun = await begin(service, session, { token: isAgain ? last : token, ends }).catch((error: unknown) => {
    if (!isAgain || !isReset(error)) throw error;
    return null;
  });
  if (begun === null) {
    const events = new EventStream();
    events.reset();
    return { body: events, headers };
  }
  const receiver = new SyncEvents(service.tokens, begun);
  Follower.start({ session, service, begun, ends, receiver });
  return { body: receiver, headers };
}

/** The stream of a client of the native face. */
class SyncEvents extends EventStream implements Receiver {
  readonly #tokens: SyncTokens;
  readonly #handle: string;
  #token: string;

  constructor(tokens: SyncTokens, { position, handle }: Begun) {
    super();
    this.#tokens = tokens;
    this.#handle = handle;
    this.#token = tokens.write(position, handle);
  }

  take(step: Step): Promise<void> {
    const next = this.#tokens.write(step.next, this.#handle);
    this.write(textsOf(step, { token: this.#token, next }));
    this.#token = next;
    return this.ready();
  }

  /** A client whose caller sees something else now begins anew; one with a token that has expired may go on later. */
  finish(error: unknown): void {
    const hides = error instanceof ApiError && (error.status === 403 || error.status === 404);
    if (isReset(error) || hides) this.reset();
    else this.end();
  }
}

/**
 * Returns the events of a step. A client that loses the connection in the middle of a step begins it again, so only its last event
 * has the token behind it.
 */
function textsOf(step: Step, { token, next }: Tokens): string {
  const known = written.get(step);
  if (known?.token === token && known.next === next) return known.text;
  const text = writeEvents(step, { token, next });
  written.set(step, { token, next, text });
  return text;
}

/** The tokens before and behind a step. */
interface Tokens {
  readonly token: string;
  readonly next: string;
}

/** The events of steps that several clients receive. */
const written = new WeakMap<Step, Tokens & { readonly text: string }>();

function writeEvents({ changes, more, position }: Step, { token, next }: Tokens): string {
  const shown = changes.map((change, index) => textOf(change, more && index === changes.length - 1 ? next : token));
  return more
    ? shown.join('')
    : `${shown.join('')}event: uptodate\nid: ${next}\ndata: ${JSON.stringify({ position: position ?? undefined })}\n\n`;
}

function textOf({ op, ...value }: SyncChange, token: string): string {
  return `event: ${op}\nid: ${token}\ndata: ${JSON.stringify(value)}\n\n`;
}
