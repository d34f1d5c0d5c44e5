import { saveImport } from '../mongo/transfer/import-ledger.js';
import type { ImportRun } from './import-run.js';
import type { ImportPlan } from './plan-import.js';
import { type PanelRecord, PanelRecords, panelTypes } from './panel-records.js';
import { isPanelSetting, type Manifest, type Source } from './source.js';

/** Reads the administrators of the source and assigns ids to them, before links to them are stored. */
export async function prepareAdministrators(run: ImportRun): Promise<void> {
  const { source, manifest, plan, context } = run;
  const { panel, store } = context;
  if (panel === undefined || !hasPanelRecords(manifest)) return;
  run.panelRecords = await readPanelRecords(source, plan);
  if (run.state.administrators === undefined) {
    run.state = { ...run.state, administrators: [...(await panel.identify(run.panelRecords))] };
    await saveImport(store.database, run.state);
  }
  run.administrators = new Map(run.state.administrators);
}

const hasPanelRecords = ({ entities }: Manifest): boolean => panelTypes.some((uid) => entities.has(uid));

async function readPanelRecords(source: Source, { registry }: ImportPlan): Promise<readonly PanelRecord[]> {
  const records = new PanelRecords();
  for await (const record of source.read(['entities', 'links'], null, panelTypes)) records.add(record, registry);
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
  if (panelRecords.length > 0)
    for (const [uid, count] of await panel.take(panelRecords, administrators, target)) tally.add(uid, count);
  for (const setting of manifest.settings)
    if (isPanelSetting(setting.key) && (await panel.takeSetting(setting, target))) tally.add(panelSettings, 1);
}
