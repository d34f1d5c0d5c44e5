import type { SendMailOptions } from 'nodemailer';
import { messageOf } from '#base/errors.js';
import { withinTime } from '#base/limits/clock.js';
import type { Config } from '#settings/config.js';
import { openProvider } from '#base/provider-packages.js';

/** What a provider of Strapi v4 sends: the options of nodemailer, with addresses as texts. */
interface ProviderMail extends Omit<SendMailOptions, 'from' | 'to' | 'cc' | 'bcc' | 'replyTo'> {
  readonly from?: string;
  readonly to?: string;
  readonly cc?: string;
  readonly bcc?: string;
  readonly replyTo?: string;
}

interface MailProvider {
  /** Rejects with the message of the provider alone: its errors may have the key of its service and the text of the e-mail. */
  send(mail: SendMailOptions): Promise<void>;
}

/** Milliseconds that a provider may take for an e-mail. */
const patience = 60_000;

/**
 * Loads the e-mail provider of a project, a package in the form of Strapi v4: it exports `init(providerOptions, settings)`, which returns
 * an object with `send(mail)`. Rejects if there is no such package, or it has another form.
 */
export async function loadMailProvider({ directory, plugins }: Config): Promise<MailProvider> {
  const { provider, providerOptions, settings } = plugins.email.config;
  const opened: { readonly send?: (mail: ProviderMail) => unknown } | null = await openProvider(provider, directory, [
    providerOptions,
    settings,
  ]);
  if (typeof opened?.send !== 'function') throw new Error(`${provider} is no e-mail provider: it has no init with send`);
  const late = (): Error => new Error(`the e-mail provider did not answer within ${String(patience / 1_000)} s`);
  return {
    send: async (mail) => {
      await withinTime(patience, async () => opened.send?.(asProviderMail(mail)), late).catch((error: unknown) => {
        throw new Error(messageOf(error));
      });
    },
  };
}

type Addresses = SendMailOptions['to'];

/** Returns an e-mail as providers take it. */
function asProviderMail({ from, to, cc, bcc, replyTo, ...mail }: SendMailOptions): ProviderMail {
  const texts = Object.entries({ from, to, cc, bcc, replyTo }).flatMap(([name, given]) =>
    given === undefined ? [] : [[name, addressText(given)] as const],
  );
  return { ...mail, ...Object.fromEntries(texts) };
}

/** Returns addresses as one text: `"Ann" <ann@example.org>, ben@example.org`. */
function addressText(given: Addresses): string {
  if (given === undefined) return '';
  if (typeof given === 'string') return given;
  if (Array.isArray(given)) return given.map(addressText).join(', ');
  const { name = '', address = '' } = given;
  return name === '' ? address : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
}
