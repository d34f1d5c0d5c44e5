import type { Measurement } from './measure.js';
import type { RowResult, SkippedRow } from './results.js';

/** Prints the table, what was not measured, and one line per row that says whether its goal is met. */
export function printResults(results: readonly RowResult[], skipped: readonly SkippedRow[]): void {
  console.log(`\n${formatTable(results.flatMap(formatRow))}\n`);
  for (const { key, difference } of results) {
    if (difference !== null) console.log(`${key}: same entries, other answers: ${difference}`);
  }
  for (const { key, title, reason } of skipped) console.log(`${key}: not measured (${title}): ${reason}`);
  for (const result of results) console.log(sayVerdict(result));
}

const heading = [
  'row',
  'target',
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

function formatRow({ key, title, product, baseline, ratio }: RowResult): readonly (readonly string[])[] {
  return [
    [`${key}: ${title}`, 'product', ...formatMeasurement(product), ratio.toFixed(2)],
    ['', 'baseline', ...formatMeasurement(baseline), ''],
  ];
}

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

function sayVerdict({ key, goal, ratio, verdict }: RowResult): string {
  if (goal === null) return `${key}: ${ratio.toFixed(2)}x the baseline's CPU (no goal)`;
  return `${key}: ${ratio.toFixed(2)}x the baseline's CPU, goal ${goal.toFixed(1)}x: ${verdict}`;
}
