import { listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import type { AdminRoute } from '../api/admin-call.js';
import { describe, row } from '../api/admin-row.js';
import { author } from '../api/history-routes.js';
import { actionNames, mostActions } from './release.js';

const action = { action: { enum: actionNames }, uid: text, id: integer };

const values = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  at: orNull({ type: 'string', maxLength: 40, description: 'When it is carried out; null for by hand' }),
  actions: {
    ...listOf(
      record({
        action: { enum: actionNames },
        uid: { type: 'string', maxLength: 200 },
        id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      }),
    ),
    maxItems: mostActions,
  },
};
const version = { type: 'integer', description: 'The version that the caller has read; another one is a 409' };

const listed = {
  ...{
    id: integer,
    name: text,
    at: orNull(text),
    state: { enum: ['open', 'published'] },
    version: integer,
    count: integer,
    by: author,
  },
  ...{ createdAt: text, updatedAt: text, publishedAt: orNull(text), failedAt: orNull(text) },
};
const problems = listOf(record({ path: listOf(text), message: text }));
const release = record({
  ...listed,
  actions: listOf(
    record({ ...action, label: orNull(text), locale: orNull(text), status: { enum: ['draft', 'published', null] } }),
  ),
  hidden: { type: 'integer', description: 'The number of actions on entries that the caller may not read' },
  problems,
  failure: orNull(record({ at: text, problems })),
});

/** Loads what answers requests with the first one: it needs the rights of administrators. */
const load = () => import('./answer-releases.js');

const rows: readonly AdminRoute[] = [
  row(
    'GET /releases',
    describe(
      'adminFindReleases',
      'List releases, the newest first',
      listOf(record({ ...listed, action: text }, Object.keys(listed))),
      [
        parameter('state', 'Only open or published ones: open, published'),
        parameter('uid', 'Only those with the entry of this type and id'),
        parameter('id', 'The id of the entry', integer),
        parameter('start', 'How many of the releases are skipped; 0 by default, at most 10,000', integer),
        parameter('limit', 'Most releases to answer; 25 by default, at most 100', integer),
      ],
    ),
    async (call) => (await load()).answerReleases(call),
  ),
  row(
    'POST /releases',
    describe(
      'adminCreateRelease',
      'Make a list of publishings, unpublishings and deletions that are carried out together',
      release,
    ),
    async (call) => (await load()).createRelease(call),
    record(values, ['name']),
  ),
  row('GET /releases/:id', describe('adminFindRelease', 'Read a release, and what would stop it', release), async (call) =>
    (await load()).readRelease(call),
  ),
  row(
    'PUT /releases/:id',
    describe('adminUpdateRelease', 'Change an open release', release),
    async (call) => (await load()).changeRelease(call),
    record({ ...values, version }, []),
  ),
  row(
    'DELETE /releases/:id',
    describe('adminDeleteRelease', 'Delete a release; entries stay as they are', release),
    async (call) => (await load()).removeRelease(call),
  ),
  row(
    'POST /releases/:id/publish',
    describe('adminPublishRelease', 'Carry out a release now, in one transaction', release),
    async (call) => (await load()).publishRelease(call),
    record({ version }, []),
  ),
];

/** The routes of releases, which check the rights on each entry. */
export const releaseRoutes = rows.map((one): AdminRoute => ({ ...one, right: 'logged in' }));
