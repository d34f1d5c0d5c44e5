import type { EmailTemplate, TemplateName } from '#content/rights/account-settings.js';
import type { Placeholders } from '#content/rights/accounts.js';

const from = { name: 'Administration Panel', email: '' };

/** The templates that are used unless the settings override them. */
export const defaultTemplates: Readonly<Record<TemplateName, EmailTemplate>> = {
  reset_password: {
    from,
    response_email: '',
    object: 'Reset password',
    message: `<p>A new password was asked for your account.</p>

<p>If it was you, choose one here:</p>
<p><%= URL %>?code=<%= TOKEN %></p>

<p>If it was not, there is nothing to do.</p>`,
  },
  email_confirmation: {
    from,
    response_email: '',
    object: 'Account confirmation',
    message: `<p>Thank you for registering.</p>

<p>Please confirm your e-mail address here:</p>
<p><%= URL %>?confirmation=<%= CODE %></p>`,
  },
};

/** The placeholders, which are all that templates can contain: they cannot run code. */
const placeholderNames = [
  'URL',
  'TOKEN',
  'CODE',
  'SERVER_URL',
  'USER.username',
  'USER.email',
] as const satisfies readonly (keyof Placeholders)[];

const placeholder = /<%[=-]?\s*([\w.]+)\s*%>|\{\{\s*([\w.]+)\s*\}\}/g;

/** Replaces the placeholders `<%= NAME %>` and `{{NAME}}` by their values, which `encode` escapes. Unknown names become empty. */
export const fillTemplate = (text: string, values: Placeholders, encode: (value: string) => string): string =>
  text.replace(placeholder, (_whole, first?: string, second?: string) => {
    const name = placeholderNames.find((known) => known === (first ?? second));
    return encode((name === undefined ? undefined : values[name]) ?? '');
  });

/** Returns whether a template has only known placeholders, and nothing else that looks like one. */
export const isTemplate = (text: string): boolean => unknownPlaceholders(text).length === 0;

/** Returns the unknown placeholder names in a template, and the beginnings of everything else that looks like a placeholder. */
export const unknownPlaceholders = (text: string): string[] => {
  const names = [...text.matchAll(placeholder)].map(([, first, second]) => first ?? second ?? '');
  const others = text.replace(placeholder, '').match(/<%[^%]{0,40}/g) ?? [];
  return [...names.filter((name) => !placeholderNames.some((known) => known === name)), ...others.map((code) => code.trim())];
};
