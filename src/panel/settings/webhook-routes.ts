import { type ApiError, badRequestError, notFoundError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { bodyOf, idOf } from '../../http/route-request.js';
import { oneOf } from '../../mongo/form/matches.js';
import { findFirst, findStored } from '../../mongo/stored.js';
import { bulkWrite } from '../../mongo/write/bulk-write.js';
import { deleteEntry, insertEntry, updateEntry } from '../../mongo/write/write-entries.js';
import { collections } from '../../schema/collections.js';
import { decodeId } from '../../values.js';
import { checkPanelBody } from '../check-body.js';
import { answerData, type PanelAction, type PanelCall, type PanelRoute } from '../panel-route.js';
import { callWebhook } from './call-webhook.js';
import { changedWebhookBody, checkEvents, newWebhookBody, type Webhook, webhookOf } from './webhook.js';

const right = (name: string): PanelAction => `admin::webhooks.${name}`;

/** The routes of webhooks. */
export const webhookRoutes: readonly PanelRoute[] = [
  { method: 'GET', path: '/admin/webhooks', right: right('read'), handle: list },
  { method: 'POST', path: '/admin/webhooks', right: right('create'), handle: create },
  { method: 'POST', path: '/admin/webhooks/batch-delete', right: right('delete'), handle: removeSeveral },
  { method: 'GET', path: '/admin/webhooks/:id', right: right('read'), handle: read },
  { method: 'PUT', path: '/admin/webhooks/:id', right: right('update'), handle: change },
  { method: 'DELETE', path: '/admin/webhooks/:id', right: right('delete'), handle: remove },
  { method: 'POST', path: '/admin/webhooks/:id/trigger', right: right('update'), handle: trigger },
];

const collection = collections.webhooks;

async function list({ content }: PanelCall): Promise<Answer> {
  return answerData((await findStored(content.store.database, collection, { sort: { _id: 1 } })).map(webhookOf));
}

async function find(call: PanelCall): Promise<Webhook> {
  const document = await findFirst(call.content.store.database, collection, { _id: idOf(call) });
  return webhookOf(document ?? missing());
}

async function read(call: PanelCall): Promise<Answer> {
  return answerData(await find(call));
}

function missing(): never {
  throw notFoundError('webhook.notFound');
}

const isProduction = ({ running }: PanelCall): boolean => running.config.environment === 'production';

async function create(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(newWebhookBody(isProduction(call)), bodyOf(call.request));
  checkEvents(body.events);
  const { store, notices } = call.content;
  const [_id = 0] = await store.ids.next(collection, 1, store.database);
  const document = { _id, ...body, isEnabled: true };
  await insertEntry(store, collection, document);
  notices.tell('webhooks are stored, but events are not sent yet; only their test is');
  return answerData(webhookOf(document), 201);
}

async function change(call: PanelCall): Promise<Answer> {
  const set = await checkPanelBody(changedWebhookBody(isProduction(call)), bodyOf(call.request));
  checkEvents(set.events);
  const update = { match: { _id: idOf(call) }, change: { set }, projection: {} };
  return answerData(webhookOf((await updateEntry(call.content.store, collection, update)) ?? missing()));
}

async function remove(call: PanelCall): Promise<Answer> {
  const deleted = await deleteEntry(call.content.store, collection, { _id: idOf(call) });
  return answerData(webhookOf(deleted ?? missing()));
}

/** Deletes webhooks, and answers the ids of the request. */
async function removeSeveral({ request, content }: PanelCall): Promise<Answer> {
  const ids: unknown = bodyOf(request)['ids'];
  if (!Array.isArray(ids) || ids.length === 0 || ids.some((id) => decodeId(id) === 0)) throw idsMissing();
  await bulkWrite(content.store, collection, [{ deleteMany: { filter: { _id: oneOf(ids.map(decodeId)) } } }]);
  return answerData(ids);
}

const idsMissing = (): ApiError => badRequestError('ids must be an array of id');

async function trigger(call: PanelCall): Promise<Answer> {
  return answerData(await callWebhook(await find(call), 'trigger-test', { allowsPrivate: !isProduction(call) }));
}
