/** A measure of the code with its target. */
export interface Measure {
  readonly title: string;
  readonly now: string;
  readonly target: string;
  /** Null: the measure has no target. */
  readonly isMet: boolean | null;
  /** A line for each counted item. */
  readonly items?: readonly string[];
}

/** The measures as a Markdown table. */
export function formatTable(measures: readonly Measure[]): string {
  const rows = measures.map(({ title, now, target, isMet }) => [title, now, target, isMet === null ? '' : isMet ? 'yes' : 'no']);
  const table = [['Measure', 'Now', 'Target', 'Met'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = table;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
