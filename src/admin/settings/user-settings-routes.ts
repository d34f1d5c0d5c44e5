import { defaultTemplates, isTemplate } from '#accounts/mail/email-templates.js';
import { formOfTemplates, templateNames } from '#accounts/mail/settings-form.js';
import { changeSettings, type SettingsChange } from '#accounts/mail/write-settings.js';
import { type EmailTemplate, readAccountSettings } from '#content/rights/account-settings.js';
import { fieldErrors, validationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { accountsOf } from '#http/running.js';
import { mapValues, type Values } from '#base/values.js';
import { boolean, checkPanelBody, object, string } from '../check-body.js';
import type { PanelAction, PanelCall, PanelRoutes } from '../panel-route.js';
import { changeProviders, readProviders } from './user-providers.js';
import { okAnswer, givenBody, rolesOf } from './user-role-routes.js';

const right = (name: string): PanelAction => `plugin::users-permissions.${name}`;

/** The routes of the settings of users. Their answers have no envelope. */
export const userSettingsRoutes: PanelRoutes = {
  'GET /users-permissions/advanced': { right: right('advanced-settings.read'), handle: readAdvanced },
  'PUT /users-permissions/advanced': { right: right('advanced-settings.update'), handle: changeAdvanced },
  'GET /users-permissions/email-templates': { right: right('email-templates.read'), handle: readTemplates },
  'PUT /users-permissions/email-templates': { right: right('email-templates.update'), handle: changeTemplates },
  'GET /users-permissions/providers': { right: right('providers.read'), handle: readProviders },
  'PUT /users-permissions/providers': { right: right('providers.update'), handle: changeProviders },
};

async function readAdvanced(call: PanelCall): Promise<Answer> {
  const [{ advanced }, roles] = await Promise.all([readAccountSettings(call.content.store.database), rolesOf(call)]);
  return { body: { settings: advanced, ...roles } };
}

const advancedBody = object({
  unique_email: boolean(),
  allow_register: boolean(),
  email_confirmation: boolean(),
  email_reset_password: string().nullable(),
  email_confirmation_redirection: string().nullable(),
  default_role: string().min(1),
}).noUnknown();

async function changeAdvanced(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(advancedBody, givenBody(call));
  // The panel sends an empty text for no address.
  const advanced = mapValues<unknown, unknown>(body, (value) => (value === '' ? null : value));
  await checkRole(advanced['default_role'], call);
  await change({ advanced }, call);
  return okAnswer;
}

async function checkRole(type: unknown, call: PanelCall): Promise<void> {
  if (type === undefined) return;
  const { roles } = await rolesOf(call);
  const isKnown = roles.some((role) => (role as Values)['type'] === type);
  if (!isKnown) throw fieldErrors([{ path: ['default_role'], message: 'default_role must be the type of a role' }]);
}

const change = (settings: SettingsChange, { running, content }: PanelCall): Promise<void> =>
  changeSettings(settings, accountsOf(running).config, content.store);

/** Answers the default sender for a template without one: the panel saves no form that lacks an address. */
async function readTemplates({ content, running }: PanelCall): Promise<Answer> {
  const { templates } = await readAccountSettings(content.store.database);
  const sender = defaultSender(running);
  const shown = templateNames.map((name) => {
    const template = templates[name] ?? defaultTemplates[name];
    return [name, withSender(template, template.from.email || sender)] as const;
  });
  return { body: formOfTemplates(Object.fromEntries(shown)) };
}

const withSender = <Template extends EmailTemplate>(template: Template, email: string): Template => ({
  ...template,
  from: { ...template.from, email },
});

/** Returns the address of the default sender. The panel accepts no address without a dot, such as one at `localhost`. */
function defaultSender({ config }: PanelCall['running']): string {
  const { defaultFrom } = config.plugins.email.config.settings;
  const address = /<([^<>]+)>/.exec(defaultFrom)?.[1] ?? defaultFrom;
  return /@.*\./.test(address) ? address : `${address}.localdomain`;
}

const template = () =>
  object({
    options: object({
      from: object({ name: string().required(), email: string().defined() }).required(),
      response_email: string().defined(),
      object: string().required(),
      message: string().required(),
    }).required(),
  }).default(undefined);

const templatesBody = object({
  'email-templates': object({ reset_password: template(), email_confirmation: template() }).required(),
});

async function changeTemplates(call: PanelCall): Promise<Answer> {
  const body = await checkPanelBody(templatesBody, givenBody(call));
  const sender = defaultSender(call.running);
  const given = templateNames.flatMap((name) => {
    const options = body['email-templates'][name]?.options;
    if (options === undefined) return [];
    const isDefault = options.from.email === sender;
    return [[name, isDefault ? withSender(options, '') : options] as const];
  });
  if (given.some(([, { object: subject, message }]) => !isTemplate(subject) || !isTemplate(message)))
    throw validationError('Invalid template');
  await change({ templates: Object.fromEntries(given) }, call);
  return okAnswer;
}
