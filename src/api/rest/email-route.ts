import type { SendMailOptions } from 'nodemailer';
import { applicationError, validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import { listOf, oneOf, record, text } from '#http/json-schema.js';
import { answers } from '#http/operation.js';
import { bodyOf } from '#http/route-request.js';
import type { Answer, Route, RouteCall } from '#http/route.js';
import { limited } from '#http/steps/counted.js';
import { accountsOf, type RunningService } from '#http/running.js';

/** The action that sends an e-mail. */
export const sendAction = 'plugin::email.email.send';

/** Who gets an e-mail: an address, several separated by commas, or a list. */
const addresses = oneOf([text, listOf(text)]);

/** What clients may say of an e-mail. Files are left to code: a provider would read them from the disk or the network. */
const mailBody = record(
  { to: addresses, cc: addresses, bcc: addresses, from: text, replyTo: text, subject: text, text, html: text },
  [],
);
const lists: readonly string[] = ['to', 'cc', 'bcc'];
const fields: readonly string[] = [...lists, 'from', 'replyTo', 'subject', 'text', 'html'];

/** A content type of this name keeps its entries at the path. */
const isOfType = ({ backend: { models } }: RunningService): boolean => {
  const { byPluralName, bySingularName } = models.snapshot.registry;
  return byPluralName.has('email') || bySingularName.has('email');
};

/** The route that sends an e-mail. */
export const emailRoute: Route = {
  method: 'POST',
  path: '/email',
  yields: isOfType,
  action: sendAction,
  steps: [limited('send-email', ({ kind }) => kind !== 'token')], // an API token is of a program, which may send to many
  operation: {
    ...{ id: 'sendEmail', summary: 'Send an e-mail', tag: 'E-mails' },
    body: { 'application/json': mailBody },
    answers: answers(record({}), 'The e-mail was sent'),
  },
  handle: sendMail,
};

/** Addresses of one e-mail without an API token, so that the limit of e-mails is one of recipients too. */
const mostAddresses = 20;

/** Throws a ValidationError for other parts of an e-mail and too many addresses, and an ApplicationError if no e-mails can be sent. */
async function sendMail({ running, request, caller }: RouteCall): Promise<Answer> {
  const mail = readMail(bodyOf(request));
  if (caller.kind !== 'token' && addressesIn(mail).length > mostAddresses)
    throw validationError(`An e-mail has at most ${String(mostAddresses)} addresses, but for API tokens`);
  const { mailer } = accountsOf(running);
  if (mailer.missing !== null) throw applicationError(`No e-mail was sent: see the setting ${mailer.missing}`);
  await mailer.deliver(mail).catch((error: unknown) => {
    const { message, statusCode } = Object(error) as { readonly message?: string; readonly statusCode?: unknown };
    if (statusCode === 400) throw applicationError(String(message)); // of a provider, about what it was given
    throw new Error(`Couldn't send email: ${String(message)}.`, { cause: error });
  });
  return { body: {} };
}

const addressesIn = ({ to, cc, bcc }: SendMailOptions): readonly string[] =>
  [to ?? [], cc ?? [], bcc ?? []].flat().flatMap((one) => String(one).split(/[,;]/));

function readMail(body: Values): SendMailOptions {
  const given = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of given) {
    if (!fields.includes(name)) throw validationError(`${name} is not a part of e-mails that clients send: ${fields.join(', ')}`);
    const isList = lists.includes(name) && Array.isArray(value) && value.every((one) => typeof one === 'string');
    if (typeof value !== 'string' && !isList) throw validationError(`${name} must be a text`);
  }
  if (!given.some(([name, value]) => lists.includes(name) && String(value).trim() !== ''))
    throw validationError('No recipient(s) are given');
  return Object.fromEntries(given);
}
