import type { Config } from '../config/config.js';
import { anything, flag, listOf, record, text, whole } from '../http/json-schema.js';
import { json, type Operation, parameter } from '../http/operation.js';
import { type Route, withPrefix } from '../http/route.js';
import { answerSync } from './answer-sync.js';

const change = record({ op: { type: 'string', enum: ['upsert', 'delete'] }, id: whole, attributes: anything }, ['op', 'id']);
const answered = record({ data: listOf(change), meta: record({ sync: record({ token: text, more: flag }) }) });

const operation: Operation = {
  id: 'syncEntries',
  summary: 'Read the entries of a type, then what has changed since a token',
  tag: 'Sync',
  description:
    'The parameters filters, fields, locale and publicationState select entries as in lists. A token is continued with the same ' +
    'parameters. An answer of 410 means that it cannot be continued, so that the client starts without one.',
  query: [
    parameter('token', 'The token of the answer before'),
    parameter('wait', 'Seconds, up to 55, to wait for a change', whole),
  ],
  answers: {
    200: {
      description: 'What to change in the copy of the client; events if the client accepts text/event-stream',
      content: { ...json(answered), 'text/event-stream': text },
    },
    410: { description: 'The token cannot be continued' },
  },
};

/** The routes by which clients keep copies of entries. */
export const syncRoutes = ({ api }: Config): readonly Route[] =>
  withPrefix(api.rest.prefix, [
    {
      method: 'GET',
      path: '/sync/:plural',
      action: 'anybody',
      settings: { isLong: true },
      operation,
      handle: answerSync,
    },
  ]);
