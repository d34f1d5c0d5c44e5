import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMailOptions, Transporter } from 'nodemailer';
import type { EmailTemplate } from '#content/rights/account-settings.js';
import type { Accounts, Letter, Mailer, Placeholders } from '#content/rights/accounts.js';
import type { KnownUser } from '#content/rights/caller.js';
import type { Config } from '#settings/config.js';
import { onceDone } from '#base/caches.js';
import { makePrivateFolder } from '#base/private-folder.js';
import { escapeHtml } from '#base/values.js';
import { loadMailProvider } from './mail-provider.js';
import { createOutbox } from './outbox.js';
import { defaultTemplates, fillTemplate } from './email-templates.js';

type MailerInput = Omit<Accounts, 'mailer' | 'tokens' | 'grants'>;

/**
 * Creates a mailer. It sends by the provider of the project, or by SMTP if `plugins.email.config.providerOptions` names a server. Otherwise
 * it writes e-mails to `./data/mail` and the log.
 */
export function createMailer(input: MailerInput): Mailer {
  const { authenticator, limits, observer } = input;
  const { enabled, config } = input.config.plugins.email;
  if (!enabled)
    return {
      post: () => undefined,
      deliver: () => Promise.resolve(),
      missing: 'plugins.email.enabled',
      close: () => Promise.resolve(),
    };
  const isSent = mailServer.isNamed(input.config);
  const deliver = isSent ? bySettings(input.config) : byFile(input);
  const outbox = createOutbox({ observer, deliver });
  const write = async ({ template, user, values }: Letter): Promise<SendMailOptions | null> => {
    if (limits !== null && !(await limits.admitMail(template, user.email))) {
      const text = 'too many e-mails were sent to one address: one was not sent';
      observer.observe({ kind: 'mail withheld', text, about: { template, user: user.id } });
      return null;
    }
    const text = (await authenticator.settings()).templates[template] ?? defaultTemplates[template];
    return compose(text, user, { ...(await values()), SERVER_URL: input.address.url }, config.settings);
  };
  return {
    post: (letter) => {
      const { template, user } = letter;
      outbox.post({ about: { template, user: user.id }, compose: () => write(letter) });
    },
    missing: isSent || input.config.environment !== 'production' ? null : 'plugins.email.config.providerOptions',
    close: () => outbox.close(),
    deliver: async (mail) => {
      const { defaultFrom, defaultReplyTo } = config.settings;
      await deliver({ from: defaultFrom, ...(defaultReplyTo !== null && { replyTo: defaultReplyTo }), ...mail });
    },
  };
}

type Deliver = (mail: SendMailOptions) => Promise<unknown>;
type Senders = Config['plugins']['email']['config']['settings'];

function compose(template: EmailTemplate, user: KnownUser, values: Placeholders, senders: Senders): SendMailOptions {
  const all = { ...values, 'USER.username': user.username, 'USER.email': user.email };
  const html = fillTemplate(template.message, all, escapeHtml);
  const replyTo = template.response_email || senders.defaultReplyTo;
  return {
    from: { name: template.from.name, address: template.from.email || senders.defaultFrom },
    to: { name: '', address: user.email },
    ...(replyTo !== null && replyTo !== '' && { replyTo }),
    subject: fillTemplate(template.object, all, (value) => value.replaceAll(/[\r\n]/g, ' ')),
    html,
    text: fillTemplate(withoutTags(template.message), all, (value) => value),
  };
}

const withoutTags = (html: string): string => html.replaceAll(/<(?!%)\/?[a-z][^<>]*>/gi, '').trim();

/** Sends by what the settings name: a mail server, or the provider of the project. */
const bySettings = (config: Config): Deliver =>
  isSmtp(config) ? bySmtp(config.plugins.email.config.providerOptions) : byProvider(config);

/** Returns a function that loads the provider with the first e-mail, and again after it could not be loaded. */
function byProvider(config: Config): Deliver {
  const load = onceDone(() => loadMailProvider(config));
  return async (mail) => (await load()).send(mail);
}

function bySmtp(options: object): Deliver {
  const transport = laterTransport(options);
  return async (mail) => (await transport()).sendMail(mail);
}

/**
 * Returns a function that loads the mail library with the first e-mail. The library takes 65 ms to load, and most starts do not
 * need it.
 */
function laterTransport(options: object): () => Promise<Transporter> {
  let transport: Promise<Transporter> | null = null;
  return () => (transport ??= import('nodemailer').then(({ createTransport }) => createTransport(options)));
}

/**
 * Writes each e-mail to two files, in its transmitted form (`.eml`) and as text, and its link to the log. In production nothing
 * is written and only the subject is logged, because the link contains a secret code.
 */
function byFile({ config, observer }: MailerInput): Deliver {
  const transport = laterTransport({ streamTransport: true, buffer: true });
  const directory = join(config.directory, 'data', 'mail');
  let count = 0;
  return async (mail) => {
    if (config.environment === 'production') {
      const text = 'no mail server is configured (plugins.email): an e-mail was not sent';
      observer.observe({ kind: 'mail failed', text, about: { subject: mail.subject } });
      return;
    }
    const { message } = (await (await transport()).sendMail(mail)) as { readonly message: Buffer }; // the option `buffer` is set
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${String(count++)}`;
    const [file, text] = [join(directory, `${name}.eml`), join(directory, `${name}.txt`)];
    await makePrivateFolder(directory);
    const shown = shownMail(mail);
    await writeFile(text, readable(shown), { mode: 0o600 });
    await writeFile(file, message, { mode: 0o600 });
    const link = /\S+[?&]\S+=\S+/.exec(shown.text)?.[0];
    const places = [text, ...(link === undefined ? [] : [link])].join(' ');
    observer.observe({ kind: 'mail written', text: `e-mail "${shown.subject}" to ${shown.to}: ${places}` });
  };
}

/** The readable parts of an e-mail. */
interface ShownMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Returns an e-mail as plain text, without transfer encoding. */
const readable = ({ to, subject, text }: ShownMail): string => `To: ${to}\nSubject: ${subject}\n\n${text}\n`;

function shownMail({ to, subject = '', text, html }: SendMailOptions): ShownMail {
  const addresses = [to ?? []].flat().map((one) => (typeof one === 'object' && 'address' in one ? one.address : String(one)));
  const body = typeof text === 'string' ? text : typeof html === 'string' ? withoutTags(html) : '';
  return { to: addresses.join(', '), subject, text: body };
}

/** Milliseconds that a mail server may take for each step. */
const patience = 3_000;

/** Loads the provider of the settings, or connects to their mail server and logs in. Rejects if that fails. Sends nothing. */
async function verifyMailServer(config: Config): Promise<void> {
  if (!isSmtp(config)) return void (await loadMailProvider(config));
  const { providerOptions } = config.plugins.email.config;
  const { createTransport } = await import('nodemailer');
  const limits = { connectionTimeout: patience, greetingTimeout: patience, socketTimeout: patience, dnsTimeout: patience };
  const transport = createTransport({ ...limits, ...providerOptions });
  await transport.verify().finally(() => {
    transport.close();
  });
}

/** Returns whether e-mails go to a mail server, not to a provider of the project. */
const isSmtp = ({ plugins }: Config): boolean => plugins.email.config.provider === 'nodemailer';

/** The mail server or the provider that the settings name. */
export const mailServer = {
  /** Returns whether they name one, so that e-mails are sent. */
  isNamed: (config: Config): boolean => {
    const { enabled, config: settings } = config.plugins.email;
    return enabled && (!isSmtp(config) || Object.keys(settings.providerOptions).length > 0);
  },
  verify: verifyMailServer,
};
