import { ApiError } from '#base/errors.js';
import { Ending } from '#base/limits/ending.js';
import { LiveBody } from '#http/live-body.js';
import type { Answer, RouteCall } from '#http/route.js';
import { EventStream, Follower } from './follow.js';
import { type Start, syncHeaders, type SyncService } from './service.js';
import type { SyncSession } from './session.js';
import type { Step, SyncChange } from './step.js';
import { isReset, type SyncTokens } from './token.js';

interface StreamInput {
  readonly session: SyncSession;
  readonly service: SyncService;
  /** Null to begin a first load. */
  readonly token: string | null;
}

/** Tells the client to begin anew. The empty id makes an EventSource forget its last one. */
const resetEvent = 'event: reset\nid:\ndata: {}\n\n';

/**
 * Answers with a stream of events. If the client was connected before, goes on after the last event that it has received; if that is
 * impossible, the only event is a reset.
 */
export async function answerStream(call: RouteCall, { session, service, token }: StreamInput): Promise<Answer> {
  const { request, ends = new Ending() } = call;
  const last = request.headers['last-event-id'];
  const isAgain = typeof last === 'string' && last !== '';
  const headers = { ...syncHeaders, 'Content-Type': 'text/event-stream; charset=utf-8' };
  const start = await service.start(session, isAgain ? last : token, ends).catch((error: unknown) => {
    if (!isAgain || !isReset(error)) throw error;
    return null;
  });
  if (start === null) {
    const body = new LiveBody();
    body.write(resetEvent);
    body.end();
    return { body, headers };
  }
  const stream = new SyncStream(service.tokens, start);
  Follower.start({ session, service, start, ends, stream });
  return { body: stream, headers };
}

/** The stream of a client of the native protocol. */
class SyncStream extends EventStream {
  readonly #tokens: SyncTokens;
  readonly #handle: string;
  #token: string;

  constructor(tokens: SyncTokens, { position, handle }: Start) {
    super();
    this.#tokens = tokens;
    this.#handle = handle;
    this.#token = tokens.write(position, handle);
  }

  protected textOf(step: Step): string {
    const tokens = { token: this.#token, next: this.#tokens.write(step.next, this.#handle) };
    this.#token = tokens.next;
    return textOf(step, tokens);
  }

  /** A client whose caller sees something else now begins anew; one with a token that has expired may go on later. */
  close(error: unknown): void {
    const hides = error instanceof ApiError && (error.status === 403 || error.status === 404);
    if (isReset(error) || hides) this.write(resetEvent);
    this.end();
  }
}

/** The tokens before and after a step. */
interface Tokens {
  readonly token: string;
  readonly next: string;
}

/** The events of steps that several clients receive. */
const texts = new WeakMap<Step, Tokens & { readonly text: string }>();

function textOf(step: Step, tokens: Tokens): string {
  const last = texts.get(step);
  if (last?.token === tokens.token && last.next === tokens.next) return last.text;
  const text = eventsOf(step, tokens);
  texts.set(step, { ...tokens, text });
  return text;
}

/**
 * Returns the events of a step. A client that loses the connection in the middle of a step begins it again, so only its last event
 * has the token after it.
 */
function eventsOf({ changes, more, position }: Step, { token, next }: Tokens): string {
  const events = changes.map(({ op, ...value }: SyncChange, index) =>
    eventOf(op, more && index === changes.length - 1 ? next : token, value),
  );
  if (!more) events.push(eventOf('uptodate', next, { position: position ?? undefined }));
  return events.join('');
}

const eventOf = (name: string, id: string, data: object): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
