import { type ImportContext } from './import-run.js';
import { Tally } from './tally.js';
import { administratorUid, PanelRecords } from './panel-records.js';
import type { PreparedImport } from './run-import.js';
import { comingEntry, placeOrReport, storedForm } from './write-records.js';

/**
 * Reads the links and entries of a source and returns what an import could not store, without storing anything. Entries of types
 * that are not imported are not among them, because the plan has their number.
 */
export async function previewImport({ source, plan, manifest }: PreparedImport, context: ImportContext): Promise<Tally> {
  const tally = new Tally();
  const records = new PanelRecords();
  // their ids here are not known yet
  const administrators = { get: (id: number) => (manifest.entities.has(administratorUid) ? id : undefined) };
  const importing = { plan, tally, context, administrators };
  context.progress.begin('checking', null);
  for await (const record of source.read(['links', 'entities'])) {
    records.add(record, plan.registry);
    if (record.stage === 'unreadable') tally.report(record.reason, record.where);
    else if (record.stage === 'links') placeOrReport(record, importing);
    else if (record.stage === 'entities' && plan.types.has(record.type))
      for (const entry of comingEntry(importing, record)) storedForm(entry, new Map(), importing);
    context.progress.advance(1);
  }
  context.progress.end();
  await context.panel?.preview(records.list(), { plan, report: tally.report });
  return tally;
}
