import { randomBytes } from 'node:crypto';
import { validationError } from '#base/errors.js';
import { exposed } from '#http/koa-packages.js';
import type { Answer, RouteCall } from '#http/route.js';
import { Ending } from '#base/limits/ending.js';
import type { LogState } from '#store/stores/change-log.js';
import { parseAsked } from '../asked.js';
import { EventStream } from '../event-stream.js';
import { Follower, type Receiver } from '../follower.js';
import { nextStep } from '../next-step.js';
import { firstPosition, type Step } from '../read-step.js';
import { type Begun, type SyncService, syncOf, unstored } from '../sync-service.js';
import { isReset, SyncSession } from '../sync-session.js';
import type { Shape } from '../shape.js';
import { resetError } from '../token.js';
import { messagesOf, schemaOf } from './messages.js';
import { type Offset, readOffset, writeOffset } from './offset.js';

/** The parameters of the protocol. Those that only make addresses differ, for caches, have no effect. */
const shapeParameters = [
  ...['offset', 'handle', 'live', 'live_sse', 'experimental_live_sse', 'log'],
  ...['cursor', 'expired_handle', 'cache-buster'],
] as const;

/** Seconds that a request for changes waits. */
const wait = 20;

/** Answers a client of Electric. What it cannot continue is answered with 409, so that it loads everything anew. */
export async function answerShape(call: RouteCall): Promise<Answer> {
  const { request, running } = call;
  const { asked, rest } = parseAsked(request.query, shapeParameters, running.config);
  const parameters = checked(rest);
  const service = syncOf(running);
  let own = 'anew';
  try {
    const session = new SyncSession(call, asked, parameters.offset !== '-1');
    const { state, seen } = await service.reader.followed(session.sight, call.ends);
    own = session.handle(state);
    const handle = parameters.handle?.startsWith(`${own}-`) === true ? parameters.handle : null;
    const { position, isBehind } = parameters.offset === '-1' ? first(state) : continued(parameters.offset, handle !== null);
    const begun = { state, seen, position, handle: handle ?? newHandle(own) };
    if (parameters.isStream) return answerStream(call, { session, service, begun });
    // a client goes on with live requests although it was not told that it is up to date
    const step = await nextStep(call, { session, service, begun, wait: parameters.isLive && !isBehind ? wait : 0 });
    const upToDate = step.more ? {} : { 'electric-up-to-date': '' };
    return { body: messagesOf(step, session.shape), headers: { ...headersOf(session, begun.handle, step), ...upToDate } };
  } catch (error) {
    if (!isReset(error)) throw error;
    const headers = { ...unstored, ...exposing, 'electric-handle': newHandle(own) };
    return { status: 409, body: [{ headers: { control: 'must-refetch' } }], headers };
  }
}

/** A handle is never used for a second load. */
const newHandle = (own: string): string => `${own}-${randomBytes(6).toString('hex')}`;

const first = (state: LogState): Offset => ({ position: firstPosition(state), isBehind: true });

function continued(offset: string, isOwn: boolean): Offset {
  const known = isOwn ? readOffset(offset) : null;
  if (known === null) throw resetError('Rights, models or the query have changed');
  return known;
}

interface Parameters {
  readonly offset: string;
  readonly handle: string | null;
  readonly isLive: boolean;
  readonly isStream: boolean;
}

/** Returns the parameters of a request. Throws a ValidationError for those that are missing, and modes that are not supported. */
function checked(rest: Readonly<Record<string, unknown>>): Parameters {
  const value = (name: (typeof shapeParameters)[number]): string | null => (typeof rest[name] === 'string' ? rest[name] : null);
  const offset = value('offset');
  if (offset === null) throw validationError('Invalid parameter offset: expected -1 or the offset of the answer before');
  if ((value('log') ?? 'full') !== 'full') throw validationError('Invalid parameter log: only full is supported');
  const isLive = value('live') === 'true';
  if (isLive && offset === '-1') throw validationError('Invalid parameter live: a client loads everything first');
  const isStream = isLive && (value('live_sse') === 'true' || value('experimental_live_sse') === 'true');
  return { offset, handle: value('handle'), isLive, isStream };
}

/** Headers that browsers let clients read. */
const exposing = {
  'Access-Control-Expose-Headers': [
    ...['electric-cursor', 'electric-handle', 'electric-offset', 'electric-schema', 'electric-up-to-date'],
    ...exposed,
  ].join(','),
} as const;

const headersOf = ({ shape }: SyncSession, handle: string, step: Pick<Step, 'next' | 'more'>): Record<string, string> => ({
  ...unstored,
  ...exposing,
  'electric-handle': handle,
  'electric-offset': writeOffset(step),
  'electric-schema': schemaOf(shape),
  'electric-cursor': String(Date.now()), // a client takes an answer with an equal one for that of a cache
});

interface Streaming {
  readonly session: SyncSession;
  readonly service: SyncService;
  readonly begun: Begun;
}

/** Answers with a stream of messages. It ends if it cannot be continued; the next request is answered with 409 then. */
function answerStream({ ends = new Ending() }: RouteCall, { session, service, begun }: Streaming): Answer {
  const receiver = new ShapeEvents(session.shape);
  Follower.start({ session, service, begun, ends, receiver });
  const headers = {
    ...headersOf(session, begun.handle, { next: begun.position, more: true }), // the events say when it is up to date
    'Content-Type': 'text/event-stream; charset=utf-8',
  };
  return { body: receiver, headers };
}

/** The stream of a client of Electric. */
class ShapeEvents extends EventStream implements Receiver {
  readonly #shape: Shape;

  constructor(shape: Shape) {
    super();
    this.#shape = shape;
  }

  take(step: Step): Promise<void> {
    const messages = messagesOf(step, this.#shape);
    this.write(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''));
    return this.ready();
  }

  finish(): void {
    this.end();
  }
}
