import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { findStored } from '#store/stored.js';

/** The settings that the admin panel of Strapi v4 edits, under the same names. */
export interface AccountSettings {
  readonly unique_email: boolean;
  readonly allow_register: boolean;
  readonly email_confirmation: boolean;
  readonly email_reset_password: string | null;
  readonly email_confirmation_redirection: string | null;
  readonly default_role: string;
}

/** The settings of a new database. */
export const defaultAccountSettings: AccountSettings = {
  unique_email: true,
  allow_register: true,
  email_confirmation: false,
  email_reset_password: null,
  email_confirmation_redirection: null,
  default_role: 'authenticated',
};

/** An e-mail of the service: templates with `<%= NAME %>` as placeholders. */
export interface EmailTemplate {
  readonly from: { readonly name: string; readonly email: string };
  readonly response_email: string;
  readonly object: string;
  readonly message: string;
}

export type TemplateName = 'reset_password' | 'email_confirmation';

/** The stored settings of users and permissions. */
export interface StoredSettings {
  readonly advanced: AccountSettings;
  readonly templates: Readonly<Partial<Record<TemplateName, EmailTemplate>>>;
}

export const settingsId = 'users-permissions';

/** Reads the stored settings, and fills in defaults. */
export async function readAccountSettings(database: Database): Promise<StoredSettings> {
  const [stored] = await findStored(database, collections.settings, { match: { _id: settingsId }, limit: 1 });
  return {
    advanced: { ...defaultAccountSettings, ...(stored?.['advanced'] as Partial<AccountSettings> | undefined) }, // checked when written
    templates: (stored?.['templates'] ?? {}) as StoredSettings['templates'], // checked when written
  };
}
