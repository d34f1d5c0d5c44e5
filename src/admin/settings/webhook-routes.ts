import { type ApiError, badRequestError } from '#base/errors.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { decodeId } from '#base/values.js';
import { testWebhook } from '#api/webhooks/test-webhook.js';
import { checkEvents } from '#api/webhooks/webhook.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  deleteWebhooks,
  findWebhook,
  listWebhooks,
  type WebhookValues,
} from '#api/webhooks/write-webhooks.js';
import { checkPanelBody } from '../check-body.js';
import { answerData, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { resourceRoutes } from '../resource-routes.js';
import { changedWebhookBody, newWebhookBody, shownToPanel } from './webhook-body.js';

/** The routes of webhooks. */
export const webhookRoutes: PanelRoutes = {
  ...resourceRoutes('/admin/webhooks', 'admin::webhooks', {
    list: async ({ content }) => (await listWebhooks(content.store)).map(shownToPanel),
    create: async (call) => shownToPanel(await createWebhook(await valuesOf(newWebhookBody, call), call.content.store)),
    read: async (call) => shownToPanel(await findWebhook(idOf(call), call.content.store)),
    change: async (call) =>
      shownToPanel(await changeWebhook(idOf(call), await valuesOf(changedWebhookBody, call), call.content.store)),
    remove: async (call) => shownToPanel(await deleteWebhook(idOf(call), call.content.store)),
    removeSeveral,
  }),
  'POST /admin/webhooks/:id/trigger': {
    right: 'admin::webhooks.update',
    handle: async (call) => answerData(await testWebhook(await findWebhook(idOf(call), call.content.store), !isLimited(call))),
    changes: 'nothing',
  },
};

/** Returns whether webhooks may only have public addresses. */
const isLimited = ({ running: { config } }: PanelCall): boolean =>
  config.environment === 'production' && !config.webhooks.allowPrivate;

async function valuesOf(schema: typeof newWebhookBody | typeof changedWebhookBody, call: PanelCall): Promise<WebhookValues> {
  const body = await checkPanelBody(schema(isLimited(call)), bodyOf(call.request));
  checkEvents(body.events, call.running.ownEvents?.());
  return body;
}

/** Deletes webhooks, and answers the ids of the request. */
async function removeSeveral({ request, content }: PanelCall): Promise<unknown> {
  const ids: unknown = bodyOf(request)['ids'];
  if (!Array.isArray(ids) || ids.length === 0 || ids.some((id) => decodeId(id) === 0)) throw idsMissing();
  await deleteWebhooks(ids.map(decodeId), content.store);
  return ids;
}

const idsMissing = (): ApiError => badRequestError('ids must be an array of id');
