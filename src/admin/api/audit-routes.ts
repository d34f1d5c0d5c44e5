import { notFoundError, validationError } from '#base/errors.js';
import { listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import type { RouteRequest } from '#http/route-request.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, numberParameter, row, textParameter } from './admin-row.js';
import { type AuditedAuthor, auditedActions, authorKinds, listAudited } from './content-audit.js';
import { author } from './history-routes.js';
import { nameAuthors } from './name-authors.js';

const audited = record({ at: text, uid: text, id: integer, action: text, by: author, requestId: orNull(text), client: text }, [
  ...['at', 'uid', 'id', 'action', 'by', 'requestId'],
]);

/** Most changes that one request skips. Further ones are reached by `to`. */
const furthest = 10_000;

/** The route of the log of writes to content (`admin.audit.days`). */
export const auditRoutes: readonly AdminRoute[] = [
  {
    ...row(
      'GET /audit/content',
      describe('adminFindWrites', 'List who has changed which entries, the newest first', listOf(audited), [
        parameter('uid', 'Only entries of this type'),
        parameter('id', 'Only the entry with this id; uid is then required', integer),
        parameter('action', `Only this action: ${auditedActions.join(', ')}`),
        parameter('by', `Only writes of one author: ${authorKinds.join(':ID, ')}:ID, public, schedule or code`),
        parameter('from', 'Only writes at this time or later'),
        parameter('to', 'Only writes at this time or earlier'),
        parameter('start', `How many of the changes are skipped; 0 by default, at most ${String(furthest)}`, integer),
        parameter('limit', 'Most changes to answer; 100 by default, at most 1,000', integer),
      ]),
      listWrites,
    ),
    right: 'plugin::mangrove.audit',
  },
];

async function listWrites({ request, content, running }: AdminCall): Promise<unknown> {
  if (running.config.admin.audit.days === 0) throw notFoundError('Nothing is kept: set admin.audit.days in config/admin');
  const uid = textParameter(request, 'uid') ?? null;
  const id = numberParameter(request, 'id', 1, Number.MAX_SAFE_INTEGER) ?? null;
  if (id !== null && uid === null) throw validationError('id requires the parameter uid');
  const rows = await listAudited(content.store.database, {
    ...{ uid, id, action: actionIn(request), by: authorIn(request) },
    ...{ from: timeIn(request, 'from'), to: timeIn(request, 'to') },
    start: numberParameter(request, 'start', 0, furthest) ?? 0,
    limit: numberParameter(request, 'limit', 1, 1000) ?? 100,
  });
  return nameAuthors(rows, running);
}

function actionIn(request: RouteRequest) {
  const value = textParameter(request, 'action');
  const action = auditedActions.find((one) => one === value) ?? null;
  if (value !== undefined && action === null) throw validationError(`action must be one of ${auditedActions.join(', ')}`);
  return action;
}

function authorIn(request: RouteRequest): AuditedAuthor | null {
  const value = textParameter(request, 'by');
  if (value === undefined) return null;
  if (value === 'schedule' || value === 'code' || value === 'public') return value;
  const [, kind, id] = /^(\w+):([1-9]\d{0,14})$/.exec(value) ?? [];
  const authorKind = authorKinds.find((one) => one === kind);
  if (authorKind === undefined)
    throw validationError(`by must be schedule, code, public, or one of ${authorKinds.join(', ')} with an id: user:1`);
  return { kind: authorKind, id: Number(id) };
}

/** Returns the time in a parameter; null if it is absent. Throws a ValidationError for other values. */
function timeIn(request: RouteRequest, name: 'from' | 'to'): Date | null {
  const value = textParameter(request, name);
  if (value === undefined) return null;
  const time = new Date(value);
  if (/^\d{4}-\d\d-\d\d(T|$)/.test(value) && !Number.isNaN(time.getTime())) return time;
  throw validationError(`${name} must be a date, or a date and a time, such as 2026-01-31T08:00:00Z`);
}
