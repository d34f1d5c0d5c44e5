import { type Machine, machineLine } from './machine.js';
import type { HotResults } from './measure-hot.js';
import { writeSection } from './write-docs.js';

/** The highest acceptable values, in milliseconds. */
const goals = { cpu: 50, pause: 50, start: 3_000 } as const;

/** The table of a run as Markdown, the starts, and the goals that are missed. */
export function formatHot(results: HotResults): string {
  const missed = missedGoals(results);
  return [
    '',
    tableOf(results),
    '',
    startsOf(results),
    missed.length === 0 ? 'all goals met' : `missed: ${missed.join('; ')}`,
  ].join('\n');
}

/** Replaces the table in docs/performance.md. */
export async function writeHotDocs(
  run: { readonly hot: HotResults; readonly machine: Machine },
  directory: string,
): Promise<void> {
  const measured = `Medians and highest values of ${String(run.hot.rows[0]?.added ?? 0)} types each. Measured on ${machineLine(run.machine)}.`;
  await writeSection(directory, 'hot', [tableOf(run.hot), startsOf(run.hot), measured].join('\n\n'));
}

function tableOf({ rows }: HotResults): string {
  const lines = rows.map(({ title, cpu, pause }) => [title, ms(cpu.median), ms(cpu.most), ms(pause.median), ms(pause.most)]);
  const heading = ['The type is', 'CPU', 'at most', 'Longest pause', 'at most'];
  const rule = heading.map((_, column) => (column === 0 ? '---' : '--:'));
  return [heading, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const startsOf = ({ types, starts }: HotResults): string =>
  `The first start with ${String(types)} types answers after ${seconds(starts.first)}, a later one after ${seconds(starts.later)}.`;

const missedGoals = ({ rows, starts }: HotResults): readonly string[] => [
  ...rows.flatMap(({ title, cpu, pause }) => [
    ...(cpu.median > goals.cpu ? [`${title}: ${ms(cpu.median)} of CPU, goal ${ms(goals.cpu)}`] : []),
    ...(pause.median > goals.pause ? [`${title}: a pause of ${ms(pause.median)}, goal ${ms(goals.pause)}`] : []),
  ]),
  ...(starts.first > goals.start ? [`the first start took ${seconds(starts.first)}, goal ${seconds(goals.start)}`] : []),
];

const ms = (milliseconds: number): string => `${milliseconds.toFixed(0)} ms`;
const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
