import { notFoundError, validationError } from '#base/errors.js';
import { flag, listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import { idOf } from '#http/route-request.js';
import { deliveryStatuses, listDeliveries, replayDeliveries } from '#api/webhooks/deliveries.js';
import type { Values } from '#base/values.js';
import { enabledWebhooks } from '#api/webhooks/enabled-webhooks.js';
import type { Webhook } from '#api/webhooks/webhook.js';
import { changeWebhook, createWebhook, deleteWebhook, findWebhook, listWebhooks } from '#api/webhooks/write-webhooks.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, numberParameter, picked, row, schemas, textParameter } from './admin-row.js';
import { changedWebhookBody, newWebhookBody, newWebhookValues, webhookValues } from './webhook-values.js';

const texts = listOf(text);

const webhook = {
  ...{ id: integer, name: text, url: text, events: texts, types: texts, headers: schemas.open, format: text },
  ...{ role: orNull(text), populate: {}, fields: {}, enabled: flag, disabledBecause: orNull(text) },
};
const schema = {
  webhook: record(webhook),
  newWebhook: record({ ...webhook, secret: text }),
  delivery: record({
    ...{ id: text, type: text, about: text, createdAt: text, status: text, attempts: integer },
    ...{ next: orNull(text), answer: orNull(schemas.open) },
  }),
  replay: record({ count: integer }),
};

const replayBody = record(
  {
    delivery: { type: 'string', maxLength: 100 },
    since: { type: 'string', maxLength: 40 },
    status: { enum: ['delivered', 'failed'] },
  },
  [],
);

/** The routes of webhooks. Only the answer to a create contains the secret. */
export const webhookAdminRoutes: readonly AdminRoute[] = [
  row('GET /webhooks', describe('adminFindWebhooks', 'List webhooks', listOf(schema.webhook)), async ({ content }) =>
    (await listWebhooks(content.store)).map(shown),
  ),
  row('POST /webhooks', describe('adminCreateWebhook', 'Create a webhook', schema.newWebhook), create, newWebhookBody),
  row('GET /webhooks/:id', describe('adminFindWebhook', 'Read a webhook', schema.webhook), async (call) =>
    shown(await find(call)),
  ),
  row(
    'PUT /webhooks/:id',
    describe('adminUpdateWebhook', 'Change a webhook; another secret replaces the current one', schema.webhook),
    async (call) => {
      const set = await webhookValues(call, await find(call));
      return shown(await call.commit(({ store }) => changeWebhook(idOf(call), set, store)));
    },
    changedWebhookBody,
  ),
  row(
    'DELETE /webhooks/:id',
    describe('adminDeleteWebhook', 'Delete a webhook with its deliveries', schema.webhook),
    async (call) => shown(await call.commit(({ store }) => deleteWebhook(idOf(call), store))),
  ),
  row(
    'GET /webhooks/:id/deliveries',
    describe('adminFindDeliveries', 'List the deliveries of a webhook, the newest first', listOf(schema.delivery), [
      parameter('limit', 'Most deliveries to answer; at most 100', integer),
      parameter('status', 'Only those of a status: pending, delivered or failed', text),
      parameter('before', 'Only those that are older than a delivery', text),
    ]),
    deliveries,
  ),
  row(
    'POST /webhooks/:id/replay',
    describe('adminReplayDeliveries', 'Deliver one delivery again, or all since a time', schema.replay),
    replay,
    replayBody,
  ),
];

const find = (call: AdminCall): Promise<Webhook> => findWebhook(idOf(call), call.content.store);

const shown = ({ populate = null, fields = null, isEnabled: enabled, ...others }: Webhook) =>
  picked(schema.webhook, { ...others, populate, fields, enabled });

async function create(call: AdminCall): Promise<unknown> {
  const set = await newWebhookValues(call);
  return { ...shown(await call.commit(({ store }) => createWebhook(set, store))), secret: set.secret };
}

async function deliveries(call: AdminCall): Promise<unknown> {
  const { id } = await find(call);
  const { request, content } = call;
  const status = textParameter(request, 'status') ?? null;
  if (status !== null && !deliveryStatuses.some((known) => known === status))
    throw validationError(`status must be one of: ${deliveryStatuses.join(', ')}`);
  const limit = numberParameter(request, 'limit', 1, 100) ?? 25;
  const before = textParameter(request, 'before') ?? null;
  const filter = { status: deliveryStatuses.find((known) => known === status) ?? null, before, limit };
  return (await listDeliveries(content.store.database, id, filter)).map(shownDelivery);
}

function shownDelivery({ _id: id, key: about, ...others }: Awaited<ReturnType<typeof listDeliveries>>[number]) {
  const next = others.status === 'pending' && others.next.getTime() > 0 ? others.next : null;
  return picked(schema.delivery, { ...others, id, about, next });
}

/** Replays deliveries. They may be too many for one transaction, so that the log record is finished after them. */
async function replay(call: AdminCall): Promise<unknown> {
  const { id } = await find(call);
  const count = await replayDeliveries(call.content.store.database, id, whichIn(call.body));
  if (count === 0 && call.body['delivery'] !== undefined) throw notFoundError('delivery.notFound');
  await call.commit(() => Promise.resolve());
  enabledWebhooks(call.content.store.changes).wake([id]);
  return { count };
}

function whichIn({ delivery, since, status = null }: Values): Parameters<typeof replayDeliveries>[2] {
  if ((delivery === undefined) === (since === undefined)) throw validationError('give either delivery or since');
  if (delivery !== undefined) return { id: String(delivery) };
  const time = new Date(String(since));
  if (Number.isNaN(time.getTime())) throw validationError('since must be a date and time');
  return { since: time, status: status === 'failed' || status === 'delivered' ? status : null };
}
