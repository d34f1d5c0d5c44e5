import { inspect } from 'node:util';
import { printable } from '#base/values.js';

// Everything that commands print goes through these functions, because names and messages may come from anywhere.

/** Prints a text on standard output, without control characters. */
export function print(text: string): void {
  console.log(printable(text));
}

/** Prints a text or an error on standard error, without control characters. */
export function printError(text: unknown): void {
  console.error(printable(typeof text === 'string' ? text : inspect(text)));
}

/** Ends the process with the message of an error. */
export function endWith(error: unknown): never {
  printError(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** Returns a number with its noun: `1 problem`, `2 problems`. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${String(count)} ${count === 1 ? one : many}`;

/** Prints rows in columns of equal width. A cell has one line. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const cells = rows.map((row) => row.map((cell) => printable(cell).replaceAll(/\s*\n\s*/g, ' ')));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
