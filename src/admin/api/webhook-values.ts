import { readRoles } from '#content/rights/role.js';
import { validationError } from '#base/errors.js';
import { anything, flag, listOf, orNull, record, text } from '#http/json-schema.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import { queryOf } from '#api/webhooks/event-body.js';
import { isSecret, newSecret } from '#api/webhooks/sign.js';
import { checkEvents, headerProblem, urlIn, type Webhook, webhookFormats } from '#api/webhooks/webhook.js';
import type { WebhookValues } from '#api/webhooks/write-webhooks.js';
import type { AdminCall } from './admin-call.js';

const values = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  url: { type: 'string', minLength: 1, maxLength: 2_000 },
  events: { ...listOf(text), maxItems: 20, uniqueItems: true },
  types: { ...listOf(text), maxItems: 1_000, uniqueItems: true },
  secret: text,
  headers: { type: 'object' },
  format: { enum: webhookFormats },
  role: orNull(text),
  populate: anything,
  fields: anything,
  enabled: flag,
};

/** The schemas of the bodies that create and change a webhook. */
export const newWebhookBody = record(values, ['name', 'url', 'events']);
export const changedWebhookBody = record(values, []);

/** A body, and the service that answers it; a command has none. */
type WebhookInput = Pick<AdminCall, 'body' | 'content'> & { readonly running?: Pick<AdminCall['running'], 'ownEvents'> };

/** Returns the values of a new webhook, which has a secret. */
export async function newWebhookValues(call: WebhookInput): Promise<WebhookValues & { readonly secret: string }> {
  return { format: 'standard', secret: newSecret(), ...(await webhookValues(call, null)) };
}

/**
 * Returns the values of a body that meets its schema. Throws a ValidationError that names a wrong one. `former` is the webhook before a
 * change.
 */
export async function webhookValues({ body, content, running }: WebhookInput, former: Webhook | null): Promise<WebhookValues> {
  const { enabled, ...others } = body;
  const values = { ...others, ...(enabled !== undefined && { isEnabled: enabled }) } as WebhookValues; // the schema has checked it
  const { url, headers = {}, secret, role, types = [], events = [] } = values;
  checkEvents(events, running?.ownEvents?.());
  if (url !== undefined && urlIn(url) === null) throw validationError('url must be a valid URL');
  const problem = headerProblem(headers);
  if (problem !== null) throw validationError(problem);
  if (secret !== undefined && !isSecret(secret)) throw validationError('secret must be whsec_ and 24 to 64 bytes in base64');
  const unknown = types.find(
    (uid) => uid.startsWith('admin::') || (content.bind.registry.types.get(uid)?.collection ?? '') === '',
  );
  if (unknown !== undefined) throw validationError(`types: there is no content type ${unknown}`);
  if (typeof role === 'string' && !(await readRoles(content.store.database)).byType.has(role))
    throw validationError(`role: there is no role ${role}`);
  checkQuery({ populate: former?.populate, fields: former?.fields, ...values }, values.types ?? former?.types ?? [], content);
  return values;
}

/** Throws a ValidationError if `populate` or `fields` do not fit one of the types. */
function checkQuery(webhook: WebhookValues, types: readonly string[], content: AdminCall['content']): void {
  const bind = { ...content.bind, settings: { ...content.bind.settings, strict: true } };
  const query = queryOf({ populate: webhook.populate, fields: webhook.fields }, bind.limits);
  for (const uid of types) {
    const type = bind.registry.types.get(uid);
    if (type !== undefined) bindEntrySelection(query, type, bind);
  }
}
