import { collections } from '#model/schema/collections.js';
import { changeSettings, type SettingsChange } from '#accounts/mail/write-settings.js';
import { defaultTemplates } from '#accounts/mail/email-templates.js';
import { anything, flag, listOf, record, text, integer } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import { accountsOf } from '#http/running.js';
import { describeReport } from '#model/schema/report-models.js';
import { readChanges } from '../audit-log.js';
import type { ModelState } from '#store/models/model-states.js';
import { findStored } from '#store/stored.js';
import { readShapes, type ShapeReads } from './shape-reads.js';
import { withinTime } from '#base/limits/clock.js';
import { shapesOf } from './query-shapes.js';
import { readAccountSettings } from '#content/rights/account-settings.js';
import { readRoles } from '#content/rights/role.js';
import { validationError } from '#base/errors.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { summarizeStatus } from './summarize-status.js';
import { describe, numberParameter, picked, row, schemas } from './admin-row.js';
import { createLocale, deleteLocale, listLocales, updateLocale } from '#content/locales.js';

const name = { type: 'string', minLength: 1 };
const template = record({ from: record({ name: text, email: text }, []), response_email: text, object: text, message: text }, [
  'object',
  'message',
  'from',
]);

const advanced = {
  ...{ unique_email: flag, allow_register: flag, email_confirmation: flag, default_role: name },
  // checked when they are written
  ...{ email_reset_password: anything, email_confirmation_redirection: anything },
};
const settingsBody = record(
  {
    advanced: record(advanced, []),
    templates: record({ reset_password: template, email_confirmation: template }, []),
  },
  [],
);

/** The routes of the settings of users and permissions, the state of the service, and the log of changes. */
export const settingsRoutes: readonly AdminRoute[] = [
  row(
    'GET /settings',
    describe('adminFindSettings', 'Read the settings of users and permissions', schemas.settings),
    readSettings,
  ),
  row(
    'PUT /settings',
    describe('adminUpdateSettings', 'Change the settings of users and permissions', schemas.settings),
    updateSettings,
    settingsBody,
  ),
  row('GET /status', describe('adminFindStatus', 'Read the state of the service', schemas.open), readStatus),
  row(
    'GET /audit',
    describe('adminFindChanges', 'List the last changes that administrators have made', listOf(schemas.open), [
      parameter('limit', 'Most changes to answer; 100 by default, at most 999', integer),
    ]),
    ({ request, content }) => readChanges(content.store.database, numberParameter(request, 'limit', 1, 999) ?? 100),
  ),
];

async function readSettings({ running, content }: AdminCall): Promise<unknown> {
  accountsOf(running);
  const { advanced, templates } = await readAccountSettings(content.store.database);
  return { advanced, templates: { ...defaultTemplates, ...templates } };
}

async function updateSettings(call: AdminCall): Promise<unknown> {
  const change = call.body as SettingsChange; // the schema has checked the body
  const { config } = accountsOf(call.running);
  const role = change.advanced?.default_role;
  if (role !== undefined && !(await readRoles(call.content.store.database)).byType.has(role))
    throw validationError(`default_role: there is no role ${role}`);
  await call.commit(({ store }) => changeSettings(change, config, store));
  return readSettings(call);
}

/**
 * Answers with a summary, the registry of this instance, problems of its models (causes before effects), and the state of models on all
 * instances.
 */
async function readStatus({ running: { backend, config }, content }: AdminCall): Promise<unknown> {
  const { models, store } = backend;
  await models.recount();
  await withinTime(longestExamination, () => shapesOf(config.server).store(content.store.database)).catch(() => undefined);
  const states = await findStored(content.store.database, collections.modelStatus, { sort: { _id: 1 } });
  const queries = await readShapes(content.store.database);
  return {
    summary: summarizeStatus(states as unknown as readonly ModelState[], queries.length), // ModelStatus has written them
    version: models.snapshot.registry.version,
    types: models.snapshot.registry.types.size,
    problems: Object.fromEntries(models.inForce().problems),
    models: models.reports().flatMap((report) => describeReport(report) ?? []),
    hearsOfChanges: store.changes.isListening,
    database: backend.description,
    queries: queries.map(shownShape),
    instances: states.map((state) => Object.fromEntries(Object.entries(state).filter(([name]) => name !== '_id'))),
  };
}

/** Milliseconds for which the answer waits until costly reads are examined. */
const longestExamination = 3_000;

const changed = { name, isDefault: flag };

/** The routes of locales. `{ isDefault: true }` makes a locale the default one. */
export const localeAdminRoutes: readonly AdminRoute[] = [
  row('GET /locales', describe('adminFindLocales', 'List locales', listOf(schemas.locale)), shownLocales),
  row(
    'POST /locales',
    describe('adminCreateLocale', 'Add a locale', listOf(schemas.locale)),
    (call) => changing(call, createLocale(call.body['code'], call.body, call)),
    record({ code: anything, ...changed }, []),
  ),
  row(
    'PUT /locales/:code',
    describe('adminUpdateLocale', 'Change a locale', listOf(schemas.locale)),
    (call) => changing(call, updateLocale(codeOf(call), call.body, call)),
    record(changed, []),
  ),
  row(
    'DELETE /locales/:code',
    describe('adminDeleteLocale', 'Remove a locale with its entries', listOf(schemas.locale)),
    (call) => changing(call, deleteLocale(codeOf(call), call)),
  ),
];

const codeOf = ({ request }: AdminCall): string => request.params['code'] ?? '';

/** Returns all locales after a change, which this instance has loaded by then. */
async function changing({ running, content }: AdminCall, change: Promise<void>): Promise<unknown> {
  await change;
  await running.backend.models.load();
  return shownLocales({ content });
}

async function shownLocales({ content }: Pick<AdminCall, 'content'>): Promise<unknown> {
  return (await listLocales(content)).map((locale) => picked(schemas.locale, locale));
}

/** Returns the reads of a shape as they are answered: what they cost, and the index that would serve them. */
function shownShape({ uid, shape, way, count, slow, ms, maxMs, lastAt, examined }: ShapeReads) {
  const reads = { uid, shape, way, count, slow, ms: { total: ms, average: Math.round(ms / count), max: maxMs }, lastAt };
  if (examined === null) return { ...reads, unindexed: null, plan: null, advice: null, suggestedIndex: null };
  const { isUnindexed, advice, suggestion, ...plan } = examined;
  const command = suggestion && `npx mangrove models index add ${uid} ${suggestion.keys.join(' ')}`;
  return { ...reads, unindexed: isUnindexed, plan, advice, suggestedIndex: suggestion && { ...suggestion, command } };
}
