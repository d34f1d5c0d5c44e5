import { forbiddenError, notFoundError } from '#base/errors.js';
import { record, text } from '#http/json-schema.js';
import type { AdminCall, AdminRoute } from '../api/admin-call.js';
import { describe, row } from '../api/admin-row.js';
import type { PanelCall } from '../panel-route.js';
import { hasPreviews } from './settings.js';

/** Seconds for which a token is valid at most. */
const longest = 3_600;

const subject = record(
  { uid: text, id: { type: 'integer', minimum: 1 }, expiresIn: { type: 'integer', minimum: 1, maximum: longest } },
  ['uid', 'id'],
);
const created = record({ id: text, token: text, expiresAt: text, url: text }, ['id', 'token', 'expiresAt']);

/** What only requests of administrators need. */
const loadTokens = () => import('./write-tokens.js');

/** The routes of the tokens by which pages show drafts. They belong to administrators of the panel. */
export const previewTokenRows: readonly AdminRoute[] = [
  row(
    'POST /preview-tokens',
    describe('adminCreatePreviewToken', 'Create a token that shows one draft, with the address of its page', created),
    async (call) => (await loadTokens()).createFor(administratorIn(call), call, { longest }),
    subject,
  ),
  row(
    'DELETE /preview-tokens/:id',
    describe('adminDeletePreviewToken', 'End a token that shows a draft', record({ id: text })),
    async (call) => (await loadTokens()).endOf(administratorIn(call), call),
  ),
].map((one): AdminRoute => ({ ...one, right: 'logged in' }));

/** Returns the call of the administrator. Throws a NotFoundError if previews are off, and a ForbiddenError for admin tokens. */
function administratorIn({ administrator, running }: AdminCall): PanelCall {
  if (!hasPreviews(running.config)) throw notFoundError('admin.preview.enabled is off');
  if (administrator === null) throw forbiddenError('Preview tokens have the rights of an administrator of the panel');
  return administrator;
}
