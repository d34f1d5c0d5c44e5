import { saveImport } from '../mongo/transfer/import-ledger.js';
import type { ImportRun } from './import-run.js';
import type { ImportPlan } from './plan-import.js';
import { type PanelRecord, PanelRecords, panelTypes, tokenUid } from './panel-records.js';
import { isPanelSetting, type Manifest, type Source, uidOfView } from './source.js';

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
