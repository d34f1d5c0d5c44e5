import type { AccountSettings, EmailTemplate, StoredSettings, TemplateName } from '#content/rights/account-settings.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { defaultTemplates } from './email-templates.js';

/** How the admin panel of Strapi v4 shows the templates. */
const looks = {
  reset_password: { display: 'Email.template.reset_password', icon: 'sync' },
  email_confirmation: { display: 'Email.template.email_confirmation', icon: 'check-square' },
} as const;

export const templateNames: readonly TemplateName[] = ['reset_password', 'email_confirmation'];

const advancedKeys: readonly (keyof AccountSettings)[] = [
  ...(['unique_email', 'allow_register', 'email_confirmation', 'default_role'] as const),
  ...(['email_reset_password', 'email_confirmation_redirection'] as const),
];
const templateKeys: readonly (keyof EmailTemplate)[] = ['from', 'response_email', 'object', 'message'];

/** Returns the templates in force as Strapi v4 stores them. */
export const formOfTemplates = (templates: StoredSettings['templates']): Values =>
  Object.fromEntries(templateNames.map((name) => [name, { ...looks[name], options: templates[name] ?? defaultTemplates[name] }]));

/** Returns the values that plugins have added to the templates beside their options, such as the design of an editor. */
export const additionsIn = (form: Values): Values =>
  Object.fromEntries(
    templateNames.flatMap((name) => {
      const added = Object.entries(Object(form[name]) as Values).filter(([key]) => !['display', 'icon', 'options'].includes(key));
      return added.length === 0 ? [] : [[name, Object.fromEntries(added)]];
    }),
  );

/** Returns the templates in the form of Strapi v4. Those that are not whole are left out. */
export function templatesIn(form: Values): StoredSettings['templates'] {
  const whole = templateNames.flatMap((name) => {
    const template = form[name];
    const options = isRecord(template) && isRecord(template['options']) ? pick(template['options'], templateKeys) : {};
    return isWhole(options) ? [[name, options] as const] : [];
  });
  return Object.fromEntries(whole);
}

/** Returns the advanced settings in the form of Strapi v4, without other names. An empty address is none. */
export const advancedIn = (form: Values): Partial<AccountSettings> =>
  mapValues(pick(form, advancedKeys), (value) => (value === '' ? null : value)); // checked when written

const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));

function isWhole(options: Values): options is Values & EmailTemplate {
  const { from, response_email: answer, object, message } = options;
  return isRecord(from) && [from['name'], from['email'], answer, object, message].every((part) => typeof part === 'string');
}
