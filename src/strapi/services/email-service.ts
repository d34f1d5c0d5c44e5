import { accountsOf, type RunningService } from '#http/running.js';
import { escapeHtml, isRecord, mapValues, type Values } from '#base/values.js';

interface Mail extends Values {
  readonly subject?: string;
}

/** Returns `strapi.plugin('email').service('email')`. */
export const emailService = ({ running }: { readonly running: () => RunningService }) => ({
  /** Sends an e-mail: `{ to, from, replyTo, cc, bcc, subject, text, html, attachments }`. */
  send: (mail: Mail) => accountsOf(running()).mailer.deliver(mail),
  /** Sends an e-mail from a template, whose texts contain `<%= user.name %>`. */
  sendTemplatedEmail: async (mail: Mail, templates: Partial<Record<'subject' | 'text' | 'html', string>>, data: Values = {}) => {
    const missing = (['subject', 'text', 'html'] as const).filter((name) => templates[name] === undefined);
    if (missing.length > 0) throw new Error(`Following attributes are missing from your email template : ${missing.join(', ')}`);
    refuseCode(Object.values(templates));
    return accountsOf(running()).mailer.deliver({ ...mail, ...mapValues(templates, (text) => template(text, data)) });
  },
});

const placeholder = /<%([=-])\s*([\w.]+)\s*%>/g;

/** Throws an Error if templates have code, which Strapi v4 runs: texts that somebody has sent would run too. */
function refuseCode(templates: readonly string[]): void {
  for (const text of templates) {
    const [code] = /<%[^]*?(?:%>|$)/.exec(text.replace(placeholder, '')) ?? [];
    if (code !== undefined)
      throw new Error(`the code ${code} of an e-mail template is not run: compute its text before, and name it in the template`);
  }
}

/** Replaces `<%= name %>` by a value, and `<%- name %>` by the value with escaped HTML. Unknown names become empty. */
export function template(text: string, data: Values): string {
  const values = flatten(data);
  return text.replace(placeholder, (_, kind: string, name: string) =>
    kind === '-' ? escapeHtml(values[name] ?? '') : (values[name] ?? ''),
  );
}

/** Returns `{ 'user.name': name }` for `{ user: { name } }`. */
function flatten(values: Values, prefix = ''): Record<string, string> {
  const parts = Object.entries(values).map(([key, value]) =>
    isRecord(value) ? flatten(value, `${prefix}${key}.`) : { [`${prefix}${key}`]: String(value) },
  );
  return Object.assign({}, ...parts) as Record<string, string>;
}
