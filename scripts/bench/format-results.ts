import type { Measurement } from './measure.js';
import type { ContestResult, RowResult } from './results.js';

/** The table, what was not measured, and one line per row that says whether its goal is met. */
export function formatResults({ rows, skipped, names, unit }: ContestResult): string {
  const differing = rows.filter(({ difference }) => difference !== null);
  return [
    '',
    formatTable(rows.flatMap((row) => formatRow(row, names))),
    '',
    ...differing.map(({ key, difference }) => `${key}: same entries, other answers: ${String(difference)}`),
    ...skipped.map(({ key, title, reason }) => `${key}: not measured (${title}): ${reason}`),
    ...rows.map((row) => sayVerdict(row, unit)),
  ].join('\n');
}

const heading = [
  'row',
  'target',
  'at once',
  'req/s',
  'Node us',
  'mongod us',
  'p50 ms',
  'p99 ms',
  'commands',
  'keys',
  'documents',
  'MB',
  'CPU ratio',
];

const formatRow = (
  { key, title, connections, product, baseline, ratio }: RowResult,
  names: ContestResult['names'],
): readonly (readonly string[])[] => [
  [`${key}: ${title}`, names.product, String(connections), ...formatMeasurement(product), ratio.toFixed(2)],
  ['', names.baseline, '', ...formatMeasurement(baseline), ''],
];

function formatMeasurement(measurement: Measurement): readonly string[] {
  const commands = Object.values(measurement.commands).reduce((sum, count) => sum + count, 0);
  return [
    measurement.requestsPerSecond.toFixed(0),
    measurement.cpuNode.toFixed(0),
    measurement.cpuMongod.toFixed(0),
    measurement.p50.toFixed(1),
    measurement.p99.toFixed(1),
    commands.toFixed(2),
    measurement.keysExamined.toFixed(0),
    measurement.documentsExamined.toFixed(0),
    measurement.memory.toFixed(0),
  ];
}

/** A Markdown table, its columns aligned so that it reads well on a terminal too. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = heading.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const isText = (column: number): boolean => column < 2;
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (isText(column) ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (isText(column) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(heading), rule, ...rows.map(line)].join('\n');
}

function sayVerdict({ key, connections, goal, ratio, verdict }: RowResult, unit: string): string {
  const judgement = goal === null ? ' (no goal)' : `, goal ${String(Math.round(goal * 100) / 100)}x: ${verdict}`;
  return `${key}, ${String(connections)} at once: ${ratio.toFixed(2)}x ${unit}${judgement}`;
}
