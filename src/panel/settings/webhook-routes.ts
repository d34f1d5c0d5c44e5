import { type ApiError, badRequestError, notFoundError, validationError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { bodyOf, idOf } from '../../http/route-request.js';
import { oneOf } from '../../mongo/form/matches.js';
import { findFirst, findStored } from '../../mongo/stored.js';
import { bulkWrite } from '../../mongo/write/bulk-write.js';
import { deleteEntry, insertEntry, updateEntry } from '../../mongo/write/write-entries.js';
import { collections } from '../../schema/collections.js';
import { isPrivateHost } from '../../public-address.js';
import { decodeId, isRecord } from '../../values.js';
import { array, boolean, checkPanelBody, lazy, object, string } from '../check-body.js';
import { answerData, type PanelAction, type PanelCall, type PanelRoute } from '../panel-route.js';
import { callWebhook } from './call-webhook.js';
import { type Webhook, webhookOf } from './webhook.js';

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

const events: readonly string[] = [
  ...['entry.create', 'entry.update', 'entry.delete', 'entry.publish', 'entry.unpublish'],
  ...['media.create', 'media.update', 'media.delete'],
];

const values = (isProduction: boolean) => ({
  name: string().required().max(200),
  url: string()
    .required()
    .max(2_000)
    .test('url', 'url must be a valid URL', (text) => text === '' || urlIn(text) !== null)
    .test('public', "Url is not supported because it isn't reachable over the public internet", (text) => {
      const url = urlIn(text);
      return !isProduction || url === null || !isPrivateHost(url);
    }),
  headers: lazy((given: unknown) => {
    const names = isRecord(given) ? Object.keys(given) : [];
    return object(Object.fromEntries(names.map((name) => [name, string().min(1).required()])))
      .required()
      .default(undefined);
  }),
  events: array().of(string().required()).required(),
});

/** Returns the URL of a text; null unless it has a scheme, a host, and a port of 2 to 5 digits, if it has one. */
function urlIn(text = ''): URL | null {
  const url = /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  return /^[^?#]*:\d([/?#]|$)/.test(text) ? null : url;
}

const isProduction = ({ running }: PanelCall): boolean => running.config.environment === 'production';

const newBody = (call: PanelCall) => object(values(isProduction(call))).noUnknown();
const changedBody = (call: PanelCall) => object({ ...values(isProduction(call)), isEnabled: boolean() }).noUnknown();

/** Throws a ValidationError for an event that there is not. */
function checkEvents(given: readonly string[]): void {
  const unknown = given.find((event) => !events.includes(event));
  if (unknown !== undefined) throw validationError(`Webhook event ${unknown} is not supported`);
}

async function create(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(newBody(call), bodyOf(call.request));
  checkEvents(body.events);
  const { store, notices } = call.content;
  const [_id = 0] = await store.ids.next(collection, 1, store.database);
  const document = { _id, ...body, isEnabled: true };
  await insertEntry(store, collection, document);
  notices.tell('webhooks are stored, but events are not sent yet; only their test is');
  return answerData(webhookOf(document), 201);
}

async function change(call: PanelCall): Promise<Answer> {
  const set = await checkPanelBody(changedBody(call), bodyOf(call.request));
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
