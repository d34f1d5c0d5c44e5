import { checkAdminBody } from '#admin/api/check-admin-body.js';
import { newWebhookBody, newWebhookValues } from '#admin/api/webhook-values.js';
import { deliveryStatuses, listDeliveries, replayDeliveries } from '#api/webhooks/deliveries.js';
import { decodeId } from '#base/values.js';
import { webhookEvents } from '#api/webhooks/webhook.js';
import { createWebhook, deleteWebhook, findWebhook, listWebhooks } from '#api/webhooks/write-webhooks.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { onlyWord, parseOptions, parseWords, requiredArgument, taking, text, texts, UsageError } from './usage-error.js';
import { print, printError } from './print.js';

export const usage = `usage: npx mangrove webhooks <command>
  list                       all webhooks, without their secrets
  create --name NAME --url URL --event EVENT... [--type UID]... [--header 'NAME: VALUE']... [--format standard|strapi]
         [--role ROLE] [--populate PATHS] [--fields NAMES]
                             create a webhook, and print its secret, which is shown only once
  delete ID                  delete a webhook with its deliveries
  deliveries ID [--status pending|delivered|failed]
                             the last 100 deliveries of a webhook
  replay ID --delivery ID | --since TIME [--status delivered|failed]
                             deliver one delivery again, or all since a time
events: ${webhookEvents.join(', ')}`;

const list: Command = async ({ store }) => {
  for (const { id, name, url, events, types, isEnabled, disabledBecause } of await listWebhooks(store)) {
    const state = isEnabled ? 'enabled' : `disabled${disabledBecause === null ? '' : `: ${disabledBecause}`}`;
    print([String(id), name, url, events.join(' '), types.join(' ') || 'all types', state].join('\t'));
  }
};

const create: Command = async ({ store, content }, args) => {
  const options = { name: text, url: text, format: text, role: text, populate: text, fields: text };
  const values = parseOptions(args, { ...options, event: texts, type: texts, header: texts });
  const { event: events = [], type: types = [], header: headers = [], ...others } = values;
  const named = { name: requiredArgument(values.name, '--name'), url: requiredArgument(values.url, '--url') };
  requiredArgument(events[0], '--event');
  const body = { ...others, ...named, events, types, headers: Object.fromEntries(headers.map(headerIn)) };
  const webhook = await newWebhookValues({ body: checkAdminBody(newWebhookBody, body), content });
  const { id, name } = await createWebhook(webhook, store);
  printError(`created the webhook ${String(id)} "${name}"; its secret is shown only once:`);
  print(webhook.secret);
};

function headerIn(line: string): readonly [string, string] {
  const [name = '', ...value] = line.split(':');
  if (value.length === 0) throw new UsageError(`--header must be 'NAME: VALUE', not ${name}`);
  return [name.trim(), value.join(':').trim()];
}

const remove: Command = async ({ store }, args) => {
  const { name } = await deleteWebhook(decodeId(onlyWord(args, 'the id of a webhook')), store);
  print(`deleted ${name}`);
};

const deliveries: Command = async ({ store }, args) => {
  const { values, positionals } = parseWords(args, { status: text });
  const { id } = await findWebhook(decodeId(onlyWord(positionals, 'the id of a webhook')), store);
  const rows = await listDeliveries(store.database, id, { status: statusIn(values.status), before: null, limit: 100 });
  for (const { _id, type, key, createdAt, status, attempts, answer } of rows) {
    const last = answer === null ? '' : `${String(answer.status ?? 'no answer')} ${answer.text.split('\n', 1)[0] ?? ''}`.trim();
    print([_id, createdAt.toISOString(), type, key, status, `${String(attempts)} attempts`, last].join('\t'));
  }
};

function statusIn(word: string | undefined) {
  const status = deliveryStatuses.find((known) => known === word);
  if (word !== undefined && status === undefined) throw new UsageError(`--status must be one of: ${deliveryStatuses.join(', ')}`);
  return status ?? null;
}

const replay: Command = async ({ store }, args) => {
  const { values, positionals } = parseWords(args, { delivery: text, since: text, status: text });
  const { id } = await findWebhook(decodeId(onlyWord(positionals, 'the id of a webhook')), store);
  const count = await replayDeliveries(store.database, id, whichIn(values));
  print(`${String(count)} to be delivered again`);
  return count === 0 ? 1 : 0;
};

function whichIn({ delivery, since, status }: { readonly delivery?: string; readonly since?: string; readonly status?: string }) {
  if (delivery !== undefined && since === undefined) return { id: delivery };
  if (delivery !== undefined) throw new UsageError('give either --delivery or --since');
  const time = new Date(requiredArgument(since, '--delivery or --since'));
  if (Number.isNaN(time.getTime())) throw new UsageError('--since must be a date and time');
  return { since: time, status: statusIn(status) };
}

export const run = serviceCommands('webhooks', {
  list: taking(0, list),
  create: changing(create),
  delete: changing(remove),
  deliveries,
  replay: changing(replay),
});
