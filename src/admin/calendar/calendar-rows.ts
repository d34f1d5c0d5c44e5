import { orNull, listOf, record, text, integer } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import type { AdminRoute } from '../api/admin-call.js';
import { describe, row } from '../api/admin-row.js';

const event = record(
  {
    at: text,
    action: { enum: ['publish', 'unpublish', 'release'] },
    uid: text,
    id: integer,
    label: orNull(text),
    locale: orNull(text),
  },
  ['at', 'action', 'id', 'label'],
);

/** The route of what is to come: publishings at a time, and releases. */
export const calendarRows: readonly AdminRoute[] = [
  {
    ...row(
      'GET /calendar',
      describe(
        'adminFindCalendar',
        'List scheduled publishings and releases between two times, the first of them',
        listOf(event),
        [
          parameter('from', 'The first time, such as 2026-01-31T08:00:00Z'),
          parameter('to', 'The time before which all are, at most 100 days later'),
        ],
      ),
      async (call) => (await import('./find-coming.js')).answerCalendar(call),
    ),
    right: 'logged in',
  },
];
