import { printSize } from '../values.js';
import type { PreparedImport } from '../transfer/run-import.js';
import type { Tally } from '../transfer/import-run.js';

type Row = readonly [what: string, which: string, about: string];

/** Returns a table of the content that an import would store, and of what it could not store. */
export function describePrepared(
  { source, manifest, plan, occupied, unfinished }: PreparedImport,
  lost: Pick<Tally, 'shortcomings'> = { shortcomings: new Map() },
): readonly Row[] {
  const types = [...plan.types.keys()].map((uid): Row => ['entries', uid, String(manifest.entities.get(uid) ?? 0)]);
  const refused = [...plan.refused].map(([uid, why]): Row => ['skipped', uid, `${String(manifest.entities.get(uid))}: ${why}`]);
  return [
    ...plan.models.map(({ uid }): Row => ['model', uid, 'new']),
    ...plan.warnings.map(([uid, text]): Row => ['warning', uid, text]),
    ...(source.notes?.() ?? []).map(([reason, where]): Row => ['warning', where, reason]),
    ...types,
    ['links', '', String(manifest.links)],
    ['files', '', `${String(manifest.assets)}, ${printSize(manifest.assetBytes)}`],
    ...refused,
    ...shortcomingRows(lost),
    ...[...occupied].map(([uid]): Row => ['occupied', uid, 'has entries, which --replace would replace']),
    ...(unfinished === null ? [] : [['unfinished', unfinished.source, 'an import was interrupted'] as Row]),
    ['', '', 'nothing was stored'],
  ];
}

/** Returns a table of the content that an import has stored and of what it could not store. */
export function describeImport({ plan, manifest }: PreparedImport, tally: Tally): readonly Row[] {
  const { counts } = tally;
  const imported = [...plan.types.keys()].map((uid): Row => {
    const [came = 0, all = 0] = [counts.get(uid), manifest.entities.get(uid)];
    return ['imported', uid, came === all ? String(came) : `${String(came)} of ${String(all)}`];
  });
  return [
    ...imported,
    ['imported', 'links', String(counts.get('links') ?? 0)],
    ['imported', 'files', String(counts.get('assets') ?? 0)],
    ...(counts.has('tokens') ? [['imported', 'API tokens', String(counts.get('tokens'))] as Row] : []),
    ...shortcomingRows(tally),
  ];
}

const shortcomingRows = ({ shortcomings }: Pick<Tally, 'shortcomings'>): readonly Row[] =>
  [...shortcomings].map(([reason, { count, examples }]) => [
    'not imported',
    String(count),
    `${reason} (${examples.join(', ')}${count > examples.length ? ', …' : ''})`,
  ]);
