/** Code of a Strapi project that cannot run here: it uses what Mangrove lacks, or imports what is not installed. */
export class UnsupportedCodeError extends Error {
  override readonly name = 'UnsupportedCodeError';
}

/** Returns the error for what is not offered, with what takes its place. */
export const notOffered = (what: string, instead: string): UnsupportedCodeError =>
  new UnsupportedCodeError(`${what} is not offered: ${instead}`);

const entries = 'read and write entries by strapi.entityService';
const panel = 'there is no admin panel; the admin API (/admin/api) does its work';
const code = 'strapi.service(uid), strapi.controller(uid) and strapi.server reach the code of the project';
const outside = 'jobs and notices run outside of the service, over its API';
const fields = 'the setting api.customFields says how custom fields are stored';
const types = 'strapi.contentTypes and strapi.getModel(uid) have all models in force';

/** Members of the `strapi` object of Strapi v4 that Mangrove lacks, with what takes their place. */
const members: Readonly<Record<string, string>> = {
  EE: panel,
  admin: panel,
  api: code,
  app: code,
  auth: 'users, API tokens and the providers of users-permissions log in',
  container: code,
  contentAPI: 'roles grant actions of routes; sanitize.contentAPI of @strapi/utils takes away what a caller may not see',
  cron: outside,
  customFields: fields,
  documents: entries,
  entityValidator: 'strapi.entityService checks what it writes',
  features: panel,
  fs: 'use node:fs',
  hook: 'there are no hooks',
  hooks: 'there are no hooks',
  models: types,
  sanitizers: 'answers never hold private attributes; resolvers choose what they return',
  startupLogger: 'use strapi.log',
  telemetry: 'nothing is sent',
  validators: 'strapi.entityService checks what it writes',
  webhookRunner: outside,
  webhookStore: outside,
};

/** Plugins of Strapi v4 that code reaches for, with what takes their place. */
const plugins: Readonly<Record<string, string>> = {
  'content-manager': panel,
  'content-type-builder': 'models are changed by npx mangrove models, or over the admin API',
  email: 'the service sends its own e-mails; send others by a package such as nodemailer',
  i18n: 'the admin API (/admin/api/locales) changes locales',
  upload: "strapi.plugin('upload').service('upload') stores files",
  'users-permissions': 'strapi.entityService reads and writes users; npx mangrove user and npx mangrove permissions set up roles',
};

const queries = 'read and write entries by strapi.db.query(uid) or strapi.entityService';

/** Members of `strapi.db` of Strapi v4 that Mangrove lacks, with what takes their place. */
const databaseMembers: Readonly<Record<string, string>> = {
  connection: `there is no SQL database; ${queries}`,
  getConnection: `there is no SQL database; ${queries}`,
  getSchemaConnection: `there is no SQL database; ${queries}`,
  dialect: 'there is no SQL database',
  entityManager: queries,
  metadata: 'strapi.getModel(uid) describes a model',
  migrations: 'the database needs no migrations of its schema',
  queryBuilder: queries,
  schema: 'the database needs no schema',
};

/** Models that only Strapi has, with what takes their place. */
const models: Readonly<Record<string, string>> = { webhook: outside };

/** Returns the error for a member of `strapi`; null if Strapi has no such member. */
export const missingMember = (name: string): UnsupportedCodeError | null => {
  const instead = valueOf(members, name);
  return instead === null ? null : notOffered(`strapi.${name}`, instead);
};

/** Returns the error for `strapi.plugin(name)`, or for one of its services. */
export const missingPlugin = (name: string, service?: string, instead: string | null = null): UnsupportedCodeError =>
  notOffered(
    `strapi.plugin('${name}')${service === undefined ? '' : `.service('${service}')`}`,
    instead ?? valueOf(plugins, name) ?? 'plugins of Strapi do not run',
  );

/** Returns the error for a part of a plugin that an extension asks for. */
export const missingExtension = (name: string): UnsupportedCodeError =>
  notOffered(
    `the plugin ${name}`,
    'extensions add and override controllers, routes, services and policies of users-permissions, upload and i18n',
  );

/** Returns the error for another member of `strapi.server`. */
export const missingServer = (name: string): UnsupportedCodeError =>
  notOffered(`strapi.server.${name}`, 'strapi.server has routes() and use()');

/** Returns the error for `strapi.service(uid)`; null if Strapi has no such service either. */
export const missingService = (uid: string): UnsupportedCodeError | null =>
  uid.startsWith('admin::') ? notOffered(`strapi.service('${uid}')`, panel) : null;

/** Returns the error for `strapi.db.query(uid)` of a model that only Strapi has; null if it has no such model. */
export function missingModel(uid: string): UnsupportedCodeError | null {
  const instead = valueOf(models, uid) ?? (uid.startsWith('admin::') ? panel : null);
  return instead === null ? null : notOffered(`strapi.db.query('${uid}')`, instead);
}

/** Returns the error for a member of `strapi.db`; null if Strapi has no such member. */
export function missingDatabase(name: string): UnsupportedCodeError | null {
  const instead = valueOf(databaseMembers, name);
  return instead === null ? null : notOffered(`strapi.db.${name}`, instead);
}

/** Returns the error for a name that a package of Strapi exports. */
export const missingExport = (name: string, packageName: string): UnsupportedCodeError =>
  notOffered(`${name} of ${packageName}`, 'use code of your own');

const valueOf = (table: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(table, name) ? (table[name] ?? null) : null;
