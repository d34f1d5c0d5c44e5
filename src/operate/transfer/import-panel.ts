import { adoptToken, newKey } from '#accounts/api-tokens.js';
import { hashKey, saltMark } from '#content/rights/api-token.js';
import { ApiError } from '#base/errors.js';
import { findStored } from '#store/stored.js';
import { saveImport } from '../raw/import-ledger.js';
import { collections } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import type { ImportContext, ImportRun } from './import-run.js';
import type { ImportPlan } from './plan-import.js';
import { type PanelRecord, PanelRecords, panelTypes, tokenUid } from './panel-records.js';
import { uidOfView } from '#store/stores/code-store.js';
import { isPanelSetting, type Manifest, type Source } from './source.js';

/** Reads the entries of the panel, and assigns ids to administrators, before links to them are stored. */
export async function preparePanel(run: ImportRun): Promise<void> {
  const { source, manifest, plan, context } = run;
  const { panel, store } = context;
  if (panel === undefined || !hasAdministration(manifest)) {
    run.panelRecords = await readTokens(source, manifest, plan);
    return;
  }
  run.panelRecords = await readPanelRecords(source, plan);
  if (run.state.administrators === undefined) {
    run.state = { ...run.state, administrators: [...(await panel.identify(run.panelRecords))] };
    await saveImport(store.database, run.state);
  }
  run.administrators = new Map(run.state.administrators);
}

/** Returns whether a source has administrators, roles or permissions. */
const hasAdministration = ({ entities }: Manifest): boolean => panelTypes.some((uid) => uid !== tokenUid && entities.has(uid));

async function readPanelRecords(source: Source, { registry }: ImportPlan): Promise<readonly PanelRecord[]> {
  const records = new PanelRecords();
  for await (const record of source.read(['entities', 'links'], null, panelTypes)) records.add(record, registry);
  return records.list();
}

/**
 * Reads the API tokens of a source, if it has any. None of their links is needed, so that nothing behind the last token is read: in
 * an archive, this is the files and links.
 */
async function readTokens(source: Source, { entities }: Manifest, { registry }: ImportPlan): Promise<readonly PanelRecord[]> {
  const records = new PanelRecords();
  let left = entities.get(tokenUid) ?? 0;
  if (left === 0) return [];
  for await (const record of source.read(['entities'], null, [tokenUid])) {
    if (record.stage !== 'entities' || record.type !== tokenUid) continue;
    records.add(record, registry);
    left--;
    if (left === 0) break;
  }
  return records.list();
}

/**
 * Stores the API tokens of the source, which has only hashes of their keys: with these if the salt is that of the source, otherwise
 * with new keys. Existing tokens are kept.
 */
export async function publishTokens(run: ImportRun): Promise<void> {
  for (const { type, data } of run.panelRecords) if (type === tokenUid) await publishToken(run, data);
}

async function publishToken({ context, tally }: ImportRun, data: Values): Promise<void> {
  const { store, tokens } = context;
  const name = String(data['name']);
  const reason = await whyNot(data, context);
  if (reason === 'there') return;
  if (reason !== null || tokens === undefined) return void tally.report(`an API token is not imported: ${reason ?? ''}`, name);
  const body = {
    name,
    type: data['type'],
    description: data['description'],
    permissions: data['permissions'] ?? [],
    lifespan: lifespanOf(data),
  };
  try {
    await adoptToken(body, isSameSalt(data, tokens) ? String(data['accessKey']) : newHash(name, tokens), store);
    tally.add('tokens', 1);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tally.report(`an API token is not imported: ${error.message}`, name);
  }
}

function newHash(name: string, { salt, showKey }: Tokens): string {
  const key = newKey();
  showKey(name, key);
  return hashKey(key, salt);
}

type Tokens = NonNullable<ImportContext['tokens']>;

/**
 * Returns whether hashes of the source are valid with the salt of the service. Strapi does not identify its salt; then the salt
 * in the configuration is assumed to be Strapi's, and a generated one is not.
 */
const isSameSalt = ({ saltMark: mark }: Values, { salt, isGiven }: Tokens): boolean =>
  mark === undefined ? isGiven : mark === saltMark(salt);

const lifespanOf = ({ expiresAt }: Values): number | null =>
  typeof expiresAt === 'string' ? Math.max(Date.parse(expiresAt) - Date.now(), 1) : null;

/**
 * Returns the reason why a token is not imported; null if it is imported, `there` if it was imported before. Admin tokens are
 * never imported.
 */
async function whyNot({ name, type, accessKey, expiresAt }: Values, { store, tokens }: ImportContext): Promise<string | null> {
  if (tokens === undefined) return 'there is no salt';
  if (type === 'admin' || !/^[0-9a-f]{128}$/.test(String(accessKey))) return 'it is not a token of the content API';
  if (typeof expiresAt === 'string' && !(Date.parse(expiresAt) > Date.now())) return 'it has expired';
  const [known] = await findStored(store.database, collections.tokens, { match: { name }, limit: 1 });
  if (known === undefined) return null;
  return known['hash'] === accessKey ? 'there' : 'another token has its name';
}

/** The name under which settings of the panel are counted: views, and what its pages of settings store. */
export const panelSettings = 'settings of the panel';

/** Stores administrators, roles and permissions, and the settings of the panel. */
export async function publishPanel(run: ImportRun): Promise<void> {
  const { manifest, plan, context, tally, panelRecords, administrators } = run;
  const { panel } = context;
  if (panel === undefined) return;
  const target = { plan, report: tally.report };
  if (hasAdministration(manifest))
    for (const [uid, count] of await panel.take(panelRecords, administrators, target)) tally.add(uid, count);
  for (const setting of manifest.settings.filter(({ key }) => isPanelSetting(key)))
    if (setting.bytes > largest) tally.report('a setting of the panel is not imported: it has more than 1 MB', setting.key);
    else if (await panel.takeSetting(setting, target)) tally.add(panelSettings, 1);
}

/** Maximum size of a setting in bytes. */
const largest = 1_048_576;

/** Returns the number of settings of the panel in a source, without views of types that there are not. */
export const countPanelSettings = ({ settings }: Manifest, { definitions }: ImportPlan): number =>
  settings.filter(({ key }) => isPanelSetting(key) && (uidOfView(key) === '' || definitions.has(uidOfView(key)))).length;
