import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { type Machine, machineLine } from './machine.js';
import { type Bar, plotBars } from './plot-bars.js';
import type { Measurement } from './measure.js';
import type { ContestResult, RowResult } from './results.js';
import { type Comparison, sectionName, type Settings } from './settings.js';

interface Documented {
  readonly contests: readonly ContestResult[];
  readonly machine: Machine;
  readonly settings: Pick<Settings, 'size' | 'seconds' | 'rounds' | 'connections'> & { readonly mode: Comparison };
}

/**
 * Writes the table and the plot of a run into docs/performance.md and beside it, in place of those of the last run of its mode and size.
 */
export async function writeDocs(run: Documented, directory: string): Promise<void> {
  const { mode } = run.settings;
  const name = sectionName(run.settings);
  const image = `performance-${name}.svg`;
  const section = [`![${titles[mode]}](${image})`, ...run.contests.map(tableOf), measuredOn(run)].join('\n\n');
  writeFileSync(path.join(directory, image), plotBars({ title: titles[mode], unit: unitOf(run), bars: barsOf(run) }));
  await writeSection(directory, name, section);
}

/** Replaces a section of docs/performance.md. */
export async function writeSection(directory: string, name: string, section: string): Promise<void> {
  const page = path.join(directory, 'performance.md');
  writeFileSync(page, await format(replaceSection(readFileSync(page, 'utf8'), name, section), { parser: 'markdown' }));
}

const titles: Readonly<Record<Comparison, string>> = {
  baseline: 'CPU of each row against the baseline',
  access: 'CPU of each row with roles against without',
  growth: 'CPU of each row as content grows',
  builds: 'CPU of each row against another build',
  peers: 'CPU of each row against other content APIs',
};

/** Returns a page with another text between the markers of a section. Throws an Error if the page has none. */
export function replaceSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- /bench ${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/performance.md has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

const unitOf = ({ contests }: Documented): string => `CPU of Node and mongod, times ${contests[0]?.unit ?? ''}`;

const barsOf = ({ contests }: Documented): readonly Bar[] =>
  contests.flatMap(({ names, rows }) =>
    rows.map(({ key, title, connections, ratio, goal }) => ({
      label: `${key}${contests.length > 1 ? sideOf(names) : ''}, ${String(connections)}: ${title}`.slice(0, 52),
      value: ratio,
      mark: goal,
    })),
  );

const sideOf = ({ product, baseline }: ContestResult['names']): string =>
  product === 'product' ? ` against ${baseline.split(' ')[0] ?? ''}` : ` at ${product}`;

/** CPU in microseconds for each request, Node and mongod. */
function tableOf({ names, rows, skipped }: ContestResult): string {
  const heading = [
    'Row',
    'At once',
    `${names.product === 'product' ? 'Mangrove' : names.product}: Node + mongod, µs`,
    names.baseline,
    'Ratio',
    'p50, ms',
    'Commands',
    'Keys',
    'Documents',
  ];
  const lines = [heading, heading.map((_, column) => (column === 0 ? '---' : '--:')), ...rows.map(cellsOf)];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const refused = skipped.map(({ key, title, reason }) => `- ${key} (${title}) was not measured: ${reason}`);
  return refused.length === 0 ? table : `${table}\n\n${refused.join('\n')}`;
}

function cellsOf({ key, title, connections, product, baseline, ratio }: RowResult): readonly string[] {
  const commands = Object.values(product.commands).reduce((sum, count) => sum + count, 0);
  const examined = [product.keysExamined, product.documentsExamined].map((count) => count.toFixed(0));
  return [
    `${key}: ${title}`,
    String(connections),
    cpuOf(product),
    cpuOf(baseline),
    ratio.toFixed(2),
    product.p50.toFixed(1),
    commands.toFixed(1),
    ...examined,
  ];
}

const cpuOf = ({ cpuNode, cpuMongod }: Measurement): string => `${cpuNode.toFixed(0)} + ${cpuMongod.toFixed(0)}`;

const measuredOn = ({ machine, settings: { size, seconds, rounds, connections } }: Documented): string =>
  `Measured on ${machineLine(machine)}; up to ${size} articles, ${connections.join(' and ')} connections, ${String(rounds)} rounds of ${String(seconds)} s. Times of one run differ from those of another by half on such a machine, ratios by a tenth.`;
