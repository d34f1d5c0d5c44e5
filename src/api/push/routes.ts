import { validationError } from '#base/errors.js';
import type { RouteParts } from '#http/feature.js';
import { refuseOthers } from '#http/query-string.js';
import { anything, listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { answers, parameter } from '#http/operation.js';
import { type DynamicRoute, type Route, withPrefix } from '#http/route.js';
import type { RunningService } from '#http/running.js';
import { counted } from '#http/steps/counted.js';
import { keyed } from '#http/steps/keyed.js';
import { countOf, mayWrite, refuseMiddlewares } from '../rest/batch/batch-route.js';
import { withoutReplicas } from '../sync/session.js';
import { pathOwner, type RouteName } from './path-owners.js';
import { readPush } from './read-push.js';
import { runPush } from './run-push.js';
import { answerSchema } from './schema.js';

const yieldsTo =
  (name: RouteName) =>
  ({ backend: { models } }: RunningService): boolean =>
    pathOwner(name, models.snapshot.registry) !== null;

const object = (values: object, description: string) => ({ type: 'object', additionalProperties: values, description });
const entry = { type: ['integer', 'string'] } as const;
const links = { type: 'array', items: entry } as const;

/** The schema of a push of at most `most` writes. */
const pushSchema = (most: number) => ({
  type: 'object',
  required: ['writes'],
  additionalProperties: false,
  properties: {
    writes: {
      type: 'array',
      maxItems: most,
      items: {
        type: 'object',
        required: ['key', 'op', 'type', 'id'],
        additionalProperties: false,
        properties: {
          key: { ...text, description: 'A text of the client, such as a UUID: the write is carried out once' },
          op: { type: 'string', enum: ['create', 'update', 'delete'] },
          type: { ...text, description: 'The plural name of a synced type' },
          id: { ...entry, description: 'The id of the entry, or the name that the client gives to a new one: `$` and a UUID' },
          set: object(
            { type: 'object', properties: { from: anything, to: anything }, additionalProperties: false },
            'By attribute: the value that the client has read, and the one that it sets',
          ),
          increment: object({ type: ['number', 'string'] }, 'By attribute: what is added to a number'),
          add: object(links, 'By attribute: ids that are added to a relation to many'),
          remove: object(links, 'By attribute: ids that are removed from a relation to many'),
          locale: { ...text, description: 'Of a new entry' },
        },
      },
    },
  },
});

const answered = record(
  {
    key: text,
    status: { type: 'string', enum: ['applied', 'conflict', 'refused', 'waiting'] },
    id: entry,
    version: orNull(text),
    attributes: anything,
    conflicts: object(record({ from: anything, mine: anything, theirs: anything }, ['from', 'theirs']), 'By attribute'),
    error: record({ status: integer, name: text, message: text, details: anything }, ['status', 'name', 'message']),
  },
  ['key', 'status', 'id', 'version'],
);

/** The routes by which clients push what they have written without the service. Each write needs the right of the single request. */
export function pushRoutes({ config, projectCode, table }: RouteParts): readonly Route[] {
  const { limits, rest } = config.api;
  const push: Route = {
    method: 'POST',
    path: '/sync/push',
    yields: yieldsTo('push'),
    action: 'anybody',
    steps: [counted((body) => countOf(body, 'writes', limits.batch)), keyed.inBody],
    accepts: pushSchema(limits.batch),
    operation: {
      id: 'pushWrites',
      summary: 'Write what a client has changed without the service, each write once',
      tag: 'Sync',
      description: 'Each write needs its own right.',
      answers: answers(record({ data: listOf(answered), meta: record({}) }), 'What has become of each write'),
    },
    isListedFor: mayWrite,
    handle: async (call) => {
      refuseOthers(call.request.query, []);
      refuseMiddlewares('a push', projectCode, config);
      if (!call.content.store.database.isReplicated) throw validationError(withoutReplicas);
      const routes = table().filter((route): route is DynamicRoute => 'find' in route);
      const writes = readPush(call.request.body, limits, call.caller);
      return { body: { data: await runPush(writes, call, { routes, projectCode, prefix: rest.prefix }), meta: {} } };
    },
  };
  return withPrefix(rest.prefix, [push, schemaRoute]);
}

const kinds = { type: 'string', enum: ['scalar', 'one', 'many', 'whole'] };

const schemaRoute: Route = {
  method: 'GET',
  path: '/sync/schema',
  yields: yieldsTo('schema'),
  action: 'anybody',
  operation: {
    id: 'readSyncSchema',
    summary: 'Read how a client merges the attributes of synced types',
    tag: 'Sync',
    query: [parameter('types', 'Plural names of synced types, separated by commas; all by default. Other names are left out')],
    answers: answers(
      record({
        data: object(object(kinds, 'By attribute'), 'By type'),
        meta: record({ renamed: object(object(text, 'By other name'), 'By type') }, []),
      }),
      'The attributes by type',
    ),
  },
  handle: answerSchema,
};
