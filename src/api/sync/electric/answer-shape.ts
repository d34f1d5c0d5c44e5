import { randomBytes } from 'node:crypto';
import { validationError } from '#base/errors.js';
import { corsExposedHeaders } from '#http/koa-packages.js';
import type { Answer, RouteCall } from '#http/route.js';
import { Ending } from '#base/limits/ending.js';
import type { Values } from '#base/values.js';
import type { LogState } from '#store/stores/change-log.js';
import { EventStream, Follower, pollStep } from '../follow.js';
import { parseSyncQuery, type Shape } from '../query.js';
import { type Start, syncHeaders, type SyncService, syncService } from '../service.js';
import { SyncSession } from '../session.js';
import { firstPosition, type Step } from '../step.js';
import { isReset, resetError } from '../token.js';
import { messagesOf, schemaOf } from './messages.js';
import { type Offset, readOffset, writeOffset } from './offset.js';

/** The parameters of the protocol. Those that only make addresses differ, for caches, have no effect. */
const shapeParameters = [
  ...['offset', 'handle', 'live', 'live_sse', 'experimental_live_sse', 'log'],
  ...['cursor', 'expired_handle', 'cache-buster'],
] as const;

/** Seconds that a request for changes waits. */
const maxWait = 20;

/**
 * Answers a client of Electric. What it cannot continue is answered with 409, so that it loads everything anew. `check` throws an ApiError
 * for a type that may not be copied.
 */
export async function answerShape(call: RouteCall, check: () => void): Promise<Answer> {
  const { request, running } = call;
  const { query, parameters: values } = parseSyncQuery(request.query, shapeParameters, running.config);
  const parameters = parametersOf(values);
  const service = syncService(running);
  let own = 'anew';
  try {
    const session = new SyncSession(call, query, parameters.offset !== '-1');
    check();
    const { state, version } = await service.readState(session, call.ends);
    own = session.handle(state);
    const handle = parameters.handle?.startsWith(`${own}-`) === true ? parameters.handle : null;
    const { position, isBehind } = offsetOf(parameters.offset, handle !== null, state);
    const start = { state, version, position, handle: handle ?? newHandle(own) };
    if (parameters.isStream) return answerStream(call, { session, service, start });
    // a client goes on with live requests although it was not told that it is up to date
    const step = await pollStep({ session, service, start }, parameters.isLive && !isBehind ? maxWait : 0, call.ends);
    const upToDate = step.more ? {} : { 'electric-up-to-date': '' };
    return { body: messagesOf(step, session.shape), headers: { ...headersOf(session, start.handle, step), ...upToDate } };
  } catch (error) {
    if (!isReset(error)) throw error;
    const headers = { ...syncHeaders, ...exposedHeaders, 'electric-handle': newHandle(own) };
    return { status: 409, body: [{ headers: { control: 'must-refetch' } }], headers };
  }
}

/** A handle is never used for a second load. */
const newHandle = (own: string): string => `${own}-${randomBytes(6).toString('hex')}`;

/** Returns what an offset says. Throws a SyncResetError if the handle that it came with is not of this shape, or it is none. */
function offsetOf(text: string, isOwn: boolean, state: LogState): Offset {
  if (text === '-1') return { position: firstPosition(state), isBehind: true };
  const offset = isOwn ? readOffset(text) : null;
  if (offset === null) throw resetError('Rights, models or the query have changed');
  return offset;
}

interface Parameters {
  readonly offset: string;
  readonly handle: string | null;
  readonly isLive: boolean;
  readonly isStream: boolean;
}

/** Returns the parameters of a request. Throws a ValidationError for those that are missing, and modes that are not supported. */
function parametersOf(values: Values): Parameters {
  const value = (name: (typeof shapeParameters)[number]): string | null =>
    typeof values[name] === 'string' ? values[name] : null;
  const offset = value('offset');
  if (offset === null) throw validationError('Invalid parameter offset: expected -1 or the offset of the answer before');
  if ((value('log') ?? 'full') !== 'full') throw validationError('Invalid parameter log: only full is supported');
  const isOn = (name: (typeof shapeParameters)[number]): boolean => {
    const text = value(name) ?? 'false';
    if (text !== 'true' && text !== 'false') throw validationError(`Invalid parameter ${name}: expected true or false`);
    return text === 'true';
  };
  const isLive = isOn('live');
  if (isLive && offset === '-1') throw validationError('Invalid parameter live: a client loads everything first');
  const asStream = (['live_sse', 'experimental_live_sse'] as const).filter(isOn);
  return { offset, handle: value('handle'), isLive, isStream: isLive && asStream.length > 0 };
}

/** Headers that browsers let clients read. */
const exposedHeaders = {
  'Access-Control-Expose-Headers': [
    ...['electric-cursor', 'electric-handle', 'electric-offset', 'electric-schema', 'electric-up-to-date'],
    ...corsExposedHeaders,
  ].join(','),
} as const;

const headersOf = ({ shape }: SyncSession, handle: string, step: Pick<Step, 'next' | 'more'>): Record<string, string> => ({
  ...syncHeaders,
  ...exposedHeaders,
  'electric-handle': handle,
  'electric-offset': writeOffset(step),
  'electric-schema': schemaOf(shape),
  'electric-cursor': String(Date.now()), // a client takes an answer with an equal one for that of a cache
});

interface StreamInput {
  readonly session: SyncSession;
  readonly service: SyncService;
  readonly start: Start;
}

/** Answers with a stream of messages. It ends if it cannot be continued; the next request is answered with 409 then. */
function answerStream({ ends = new Ending() }: RouteCall, { session, service, start }: StreamInput): Answer {
  const stream = new ShapeStream(session.shape);
  Follower.start({ session, service, start, ends, stream });
  const headers = {
    ...headersOf(session, start.handle, { next: start.position, more: true }), // the events say when it is up to date
    'Content-Type': 'text/event-stream; charset=utf-8',
  };
  return { body: stream, headers };
}

/** The stream of a client of Electric. */
class ShapeStream extends EventStream {
  readonly #shape: Shape;

  constructor(shape: Shape) {
    super();
    this.#shape = shape;
  }

  protected textOf(step: Step): string {
    const messages = messagesOf(step, this.#shape);
    return messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('');
  }

  close(): void {
    this.end();
  }
}
