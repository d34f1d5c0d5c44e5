import { validationError } from '#base/errors.js';
import { anything, flag, listOf, record, text, integer } from '#http/json-schema.js';
import type { RouteParts } from '#http/feature.js';
import { json, type Operation, parameter } from '#http/operation.js';
import { type Answer, type Route, type RouteCall, withPrefix } from '#http/route.js';
import type { RunningService } from '#http/running.js';
import { answerShape } from './electric/answer-shape.js';
import { pollStep } from './follow.js';
import { refuseGuardedList } from './guarded-list.js';
import { parseSyncQuery } from './query.js';
import { settingsOf, syncHeaders, syncService } from './service.js';
import { SyncSession } from './session.js';
import { answerStream } from './stream.js';

const change = record({ op: { type: 'string', enum: ['upsert', 'delete'] }, id: integer, attributes: anything }, ['op', 'id']);
const answerBody = record({
  data: listOf(change),
  meta: record({ sync: record({ token: text, more: flag, position: text }, ['token', 'more']) }),
});

const operation: Operation = {
  id: 'syncEntries',
  summary: 'Read the entries of a type, then what has changed since a token',
  tag: 'Sync',
  description:
    'The parameters filters, fields, locale and publicationState select entries as in lists. A token is continued with the same ' +
    'parameters. An answer of 410 means that it cannot be continued, so that the client starts without one.',
  query: [
    parameter('token', 'The token of the answer before'),
    parameter('wait', 'Seconds, up to 55, to wait for a change', integer),
  ],
  answers: {
    200: {
      description: 'What to change in the copy of the client; events if the client accepts text/event-stream',
      content: { ...json(answerBody), 'text/event-stream': text },
    },
    410: { description: 'The token cannot be continued' },
  },
};

/** A content type of this name keeps its entries at these paths. */
const toType =
  (name: string) =>
  ({ backend: { models } }: RunningService): boolean =>
    models.snapshot.registry.byPluralName.has(name) || models.snapshot.registry.bySingularName.has(name);

const shapeRoute = (guarding: Guarding): Route => ({
  method: 'GET',
  path: '/shapes/:plural',
  yields: (running) => !settingsOf(running).electric || toType('shapes')(running),
  action: 'anybody',
  settings: { isLong: true },
  operation: {
    id: 'readShape',
    summary: 'Read the entries of a type, and their changes, with a client of Electric',
    tag: 'Sync',
    description: 'The parameters filters, fields, locale and publicationState select entries as in lists.',
    query: [
      { ...parameter('offset', '-1 to begin, then the header electric-offset of the answer before'), required: true },
      parameter('handle', 'The header electric-handle of the answer before'),
      parameter('live', 'Whether to wait for changes', flag),
      parameter('live_sse', 'Whether to wait for changes by a stream of events', flag),
    ],
    answers: {
      200: { description: 'Messages', content: { ...json(listOf(anything)), 'text/event-stream': text } },
      409: { description: 'The client must load everything anew', content: json(listOf(anything)) },
    },
  },
  handle: (call) => answerShape(call, () => refuseGuardedList(call, guarding)),
});

type Guarding = Pick<RouteParts, 'config' | 'projectCode'>;

/** The routes by which clients keep copies of entries. */
export const syncRoutes = (guarding: Guarding): readonly Route[] =>
  withPrefix(guarding.config.api.rest.prefix, [
    {
      method: 'GET',
      path: '/sync/:plural',
      yields: toType('sync'),
      action: 'anybody',
      settings: { isLong: true },
      operation,
      handle: (call) => answerSync(call, guarding),
    },
    shapeRoute(guarding),
  ]);

/** Answers a request for the entries of a type, or for what has changed since a token; as a stream if the client asks for one. */
async function answerSync(call: RouteCall, guarding: Guarding): Promise<Answer> {
  const { request, running, ends } = call;
  const { query, parameters } = parseSyncQuery(request.query, ['token', 'wait'], running.config);
  const token = textOf(parameters['token']);
  const session = new SyncSession(call, query, token !== null || request.headers['last-event-id'] !== undefined);
  refuseGuardedList(call, guarding);
  const service = syncService(running);
  const isStream = request.headers.accept?.includes('text/event-stream') === true;
  if (isStream && parameters['wait'] !== undefined) throw validationError('Invalid parameter wait: a stream waits by itself');
  if (isStream) return answerStream(call, { session, service, token });
  const seconds = secondsOf(parameters['wait']);
  const start = await service.start(session, token, ends);
  const { changes, next, more, position } = await pollStep({ session, service, start }, seconds, ends);
  const sync = { token: service.tokens.write(next, start.handle), more, ...(position !== null && { position }) };
  return { body: { data: changes, meta: { sync } }, headers: syncHeaders };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Maximum number of seconds that a request waits. */
const maxWait = 55;

/** Returns the number of seconds to wait. Throws a ValidationError if it is none. */
function secondsOf(value: unknown): number {
  if (value === undefined) return 0;
  const seconds = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : NaN;
  if (seconds >= 1 && seconds <= maxWait) return seconds;
  throw validationError(`Invalid parameter wait: expected seconds from 1 to ${String(maxWait)}`);
}
