import { type ApiError, badRequestError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
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
} from '#api/webhooks/write-webhooks.js';
import { checkPanelBody } from '../check-body.js';
import { answerData, type PanelAction, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { changedWebhookBody, newWebhookBody, shownToPanel } from './webhook-body.js';

const right = (name: string): PanelAction => `admin::webhooks.${name}`;

/** The routes of webhooks. */
export const webhookRoutes: PanelRoutes = {
  'GET /admin/webhooks': { right: right('read'), handle: list },
  'POST /admin/webhooks': { right: right('create'), handle: create },
  'POST /admin/webhooks/batch-delete': { right: right('delete'), handle: removeSeveral },
  'GET /admin/webhooks/:id': { right: right('read'), handle: read },
  'PUT /admin/webhooks/:id': { right: right('update'), handle: change },
  'DELETE /admin/webhooks/:id': { right: right('delete'), handle: remove },
  'POST /admin/webhooks/:id/trigger': { right: right('update'), handle: trigger, changes: 'nothing' },
};

async function list({ content }: PanelCall): Promise<Answer> {
  return answerData((await listWebhooks(content.store)).map(shownToPanel));
}

async function read(call: PanelCall): Promise<Answer> {
  return answerData(shownToPanel(await findWebhook(idOf(call), call.content.store)));
}

/** Returns whether webhooks may only have public addresses. */
const isLimited = ({ running: { config } }: PanelCall): boolean =>
  config.environment === 'production' && !config.webhooks.allowPrivate;

async function create(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(newWebhookBody(isLimited(call)), bodyOf(call.request));
  checkEvents(body.events, call.running.ownEvents?.());
  return answerData(shownToPanel(await createWebhook(body, call.content.store)), 201);
}

async function change(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(changedWebhookBody(isLimited(call)), bodyOf(call.request));
  checkEvents(body.events, call.running.ownEvents?.());
  return answerData(shownToPanel(await changeWebhook(idOf(call), body, call.content.store)));
}

async function remove(call: PanelCall): Promise<Answer> {
  return answerData(shownToPanel(await deleteWebhook(idOf(call), call.content.store)));
}

/** Deletes webhooks, and answers the ids of the request. */
async function removeSeveral({ request, content }: PanelCall): Promise<Answer> {
  const ids: unknown = bodyOf(request)['ids'];
  if (!Array.isArray(ids) || ids.length === 0 || ids.some((id) => decodeId(id) === 0)) throw idsMissing();
  await deleteWebhooks(ids.map(decodeId), content.store);
  return answerData(ids);
}

const idsMissing = (): ApiError => badRequestError('ids must be an array of id');

async function trigger(call: PanelCall): Promise<Answer> {
  return answerData(await testWebhook(await findWebhook(idOf(call), call.content.store), !isLimited(call)));
}
