import { readAccountSettings, settingsId, type AccountSettings, type StoredSettings } from '#content/rights/account-settings.js';
import type { Config } from '#settings/config.js';
import { fieldErrors, type FieldError } from '#base/errors.js';
import { afterCommit } from '#store/send/transaction.js';
import type { Store } from '#store/store.js';
import { ownRows } from '#store/write/own-rows.js';
import { collections } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import { unknownPlaceholders } from './email-templates.js';

/** The settings to change. All others keep their values. */
export interface SettingsChange {
  readonly advanced?: Partial<AccountSettings>;
  readonly templates?: StoredSettings['templates'];
}

/**
 * Changes settings, and tells caches after the commit. Throws a ValidationError for an invalid value or address, or an unknown
 * placeholder.
 */
export async function changeSettings(change: SettingsChange, config: Config, { database, changes }: Store): Promise<void> {
  const { advanced = {}, templates = {} } = change;
  const { appSchemes } = config.plugins['users-permissions'].config;
  const problems = [
    ...valueProblems(advanced),
    ...addressProblems(advanced, appSchemes),
    ...Object.entries(templates).flatMap(placeholderProblems),
  ];
  if (problems.length > 0) throw fieldErrors(problems);
  const stored = await readAccountSettings(database);
  const set = { advanced: { ...stored.advanced, ...advanced }, templates: { ...stored.templates, ...templates } };
  await ownRows(collections.settings).change(database, { _id: settingsId }, { set }, { creates: true });
  await afterCommit(database, async () => {
    changes.changed(collections.settings);
  });
}

const kinds = { unique_email: 'boolean', allow_register: 'boolean', email_confirmation: 'boolean', default_role: 'string' };

const valueProblems = (advanced: Values): FieldError[] =>
  Object.entries(kinds)
    .filter(([name, kind]) => advanced[name] !== undefined && typeof advanced[name] !== kind)
    .map(([name, kind]) => ({ path: ['advanced', name], message: `${name} must be a ${kind}` }));

/** The form of addresses that browsers are redirected to: a web address or a path. */
const webAddress = /^(https?:\/\/[^\s]+|\/[^\s/\\][^\s\\]*|\/)$/;
const appAddress = /^([a-z][a-z0-9+.-]*):[^\s]+$/;

const isAddress = (text: string, schemes: readonly string[]): boolean =>
  webAddress.test(text) || schemes.includes(appAddress.exec(text)?.[1] ?? '');

function addressProblems(advanced: Partial<AccountSettings>, schemes: readonly string[]): FieldError[] {
  const wanted = schemes.length === 0 ? 'a web address, or null' : `a web address, one of ${schemes.join(', ')}, or null`;
  return (['email_reset_password', 'email_confirmation_redirection'] as const).flatMap((name) => {
    const value: unknown = advanced[name] ?? null;
    if (value === null || (typeof value === 'string' && isAddress(value, schemes))) return [];
    return [{ path: ['advanced', name], message: `${name} must be ${wanted}` }];
  });
}

function placeholderProblems([name, { object, message }]: [string, { readonly object: string; readonly message: string }]) {
  const unknown = [...unknownPlaceholders(object), ...unknownPlaceholders(message)];
  return unknown.map((placeholder): FieldError => {
    return { path: ['templates', name], message: `${name} names ${placeholder}, which there is not` };
  });
}
