import type { Route } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { withoutGrowth } from '#base/young-space.js';
import type { PanelMethod as Method } from './panel-route.js';

/** A path with its methods. */
type PanelPath = `${Method | `${Method} ${Method}` | `${Method} ${Method} ${Method}`} /${string}`;

/**
 * The routes that the admin panel of Strapi v4 calls. Fixed paths come before those with parameters. The first request loads the rows
 * behind them (`panel-routes.ts`), so that a service whose panel nobody uses has neither their time nor their memory: 0.1 s and 3 MB.
 */
const paths: readonly PanelPath[] = [
  'GET /admin/init',
  'GET /admin/project-type',
  'GET /admin/information',
  'GET /admin/telemetry-properties',
  'POST /admin/login',
  'POST /admin/renew-token',
  'POST /admin/logout',
  'GET /admin/registration-info',
  'POST /admin/register',
  'POST /admin/forgot-password',
  'POST /admin/reset-password',
  'POST /admin/register-admin',
  'GET PUT /admin/users/me',
  'GET /admin/users/me/permissions',
  'POST /admin/permissions/check',
  'GET POST /admin/users',
  'POST /admin/users/batch-delete',
  'GET PUT DELETE /admin/users/:id',
  'GET POST /admin/roles',
  'POST /admin/roles/batch-delete',
  'GET PUT DELETE /admin/roles/:id',
  'GET PUT /admin/roles/:id/permissions',
  'GET /admin/permissions',
  'GET /content-manager/init',
  'GET /content-manager/content-types',
  'GET /content-manager/content-types-settings',
  'GET PUT /content-manager/content-types/:uid/configuration',
  'GET /content-manager/components',
  'GET PUT /content-manager/components/:uid/configuration',
  'GET /content-manager/collection-types/:uid',
  'GET /content-manager/collection-types/:uid/:id',
  'GET /content-manager/single-types/:uid',
  'POST /content-manager/collection-types/:uid/:id/actions/publish',
  'POST /content-manager/collection-types/:uid/:id/actions/unpublish',
  'POST /content-manager/single-types/:uid/actions/publish',
  'POST /content-manager/single-types/:uid/actions/unpublish',
  'POST /content-manager/collection-types/:uid/actions/bulkPublish',
  'POST /content-manager/collection-types/:uid/actions/bulkUnpublish',
  'POST /content-manager/collection-types/:uid/actions/bulkDelete',
  'POST /content-manager/collection-types/:uid',
  'PUT DELETE /content-manager/collection-types/:uid/:id',
  'PUT DELETE /content-manager/single-types/:uid',
  'POST /content-manager/collection-types/:uid/clone/:sourceId',
  'POST /content-manager/collection-types/:uid/auto-clone/:sourceId',
  'POST /i18n/content-manager/actions/get-non-localized-fields',
  'POST /content-manager/uid/generate',
  'POST /content-manager/uid/check-availability',
  'GET /content-manager/collection-types/:uid/:id/actions/countDraftRelations',
  'GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations',
  'GET /content-manager/single-types/:uid/actions/countDraftRelations',
  'GET /content-manager/relations/:uid/:field',
  'GET /content-manager/relations/:uid/:id/:field',
  'GET POST /admin/api-tokens',
  'GET PUT DELETE /admin/api-tokens/:id',
  'POST /admin/api-tokens/:id/regenerate',
  'GET /admin/content-api/permissions',
  'GET /admin/content-api/routes',
  'GET POST /admin/webhooks',
  'POST /admin/webhooks/batch-delete',
  'GET PUT DELETE /admin/webhooks/:id',
  'POST /admin/webhooks/:id/trigger',
  'GET /upload/files',
  'GET DELETE /upload/files/:id',
  'POST /upload/from-url',
  'POST /upload',
  'GET POST /upload/folders',
  'GET PUT /upload/folders/:id',
  'GET /upload/folder-structure',
  'POST /upload/actions/bulk-move',
  'POST /upload/actions/bulk-delete',
  'GET PUT /upload/settings',
  'GET PUT /upload/configuration',
  'GET POST /admin/project-settings',
  'GET /admin/plugins',
  'GET /email/settings',
  'POST /email/test',
  'GET /i18n/locales',
  'GET /i18n/iso-locales',
  'POST /i18n/locales',
  'PUT DELETE /i18n/locales/:id',
  'GET POST /users-permissions/roles',
  'GET PUT DELETE /users-permissions/roles/:id',
  'GET /users-permissions/permissions',
  'GET /users-permissions/policies',
  'GET /users-permissions/routes',
  'GET PUT /users-permissions/advanced',
  'GET PUT /users-permissions/email-templates',
  'GET PUT /users-permissions/providers',
  'GET /content-type-builder/reserved-names',
  'GET /content-type-builder/content-types',
  'GET /content-type-builder/content-types/:uid',
  'GET /content-type-builder/components',
  'GET /content-type-builder/components/:uid',
  'POST /content-type-builder/content-types',
  'PUT DELETE /content-type-builder/content-types/:uid',
  'POST /content-type-builder/components',
  'PUT DELETE /content-type-builder/components/:uid',
  'PUT DELETE /content-type-builder/component-categories/:name',
];

const importRows = () => import('./panel-routes.js');

let rows: ReturnType<typeof importRows> | null = null;

const loadRows = () => (rows ??= withoutGrowth(importRows));

/** The routes of the panel as rows of the route table. They ignore the credentials of users and API tokens. */
export const panelRoutes: readonly Route[] = paths.flatMap((row) => {
  const [path = '', ...methods] = row.split(' ').reverse();
  return (methods as Method[]).reverse().map((method): Route => ({
    method,
    path,
    action: 'anybody',
    steps: [unidentified],
    handle: async (call) => (await loadRows()).answerPanel(method, path, call),
  }));
});
