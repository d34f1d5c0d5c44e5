import { changeSettings } from '../accounts/write-settings.js';
import { defaultTemplates } from '../accounts/email-templates.js';
import { notFoundError } from '../errors.js';
import { readChanges } from '../mongo/audit-log.js';
import { readAll } from '../mongo/database.js';
import { readAccountSettings } from '../access/account-settings.js';
import type { AdminCall, AdminRoute } from './admin-call.js';

/** Settings of users and permissions, the state of the service, and the log of changes. */
export const settingsRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/settings', handle: readSettings },
  { method: 'PUT', path: '/settings', handle: updateSettings },
  { method: 'GET', path: '/status', handle: readStatus },
  {
    method: 'GET',
    path: '/audit',
    handle: ({ backend, ctx }) => readChanges(backend.store.database, limitOf(ctx.query['limit'])),
  },
];

const limitOf = (text: unknown): number => (typeof text === 'string' && /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 100);

async function readSettings({ accounts, backend }: AdminCall): Promise<unknown> {
  if (accounts === null) throw notFoundError('Users and permissions are switched off');
  const { advanced, templates } = await readAccountSettings(backend.store.database);
  return { advanced, templates: { ...defaultTemplates, ...templates } };
}

async function updateSettings(call: AdminCall): Promise<unknown> {
  await call.commit(async ({ store: { database } }) => changeSettings(call.body, await readAccountSettings(database), database));
  return readSettings(call);
}

/** The registry of this instance, and what every instance has made of the models. */
async function readStatus({ backend }: AdminCall): Promise<unknown> {
  const { models, store } = backend;
  const states = await readAll(store.database, { find: '_model_status', sort: { _id: 1 }, batchSize: 100_000 });
  return {
    version: models.current().version,
    types: models.current().types.size,
    problems: Object.fromEntries(models.problems()),
    hearsOfChanges: backend.isListening(),
    database: backend.description,
    instances: states.map((state) => Object.fromEntries(Object.entries(state).filter(([name]) => name !== '_id'))),
  };
}
