import type { Shortfall } from './load-fixtures.js';

/** Prints the missing content, one line per reason. */
export function printShortfall(shortfall: Shortfall): void {
  for (const [reason, entries] of shortfall) {
    const more = entries.length > 3 ? ` and ${String(entries.length - 3)} more` : '';
    console.log(`not loaded: ${entries.slice(0, 3).join(', ')}${more}: ${reason}`);
  }
}
