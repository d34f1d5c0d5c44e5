import { escapeHtml } from '../values.js';

/** A string that is HTML and needs no escaping. */
export interface Html {
  readonly html: string;
}

/** A value in a template: text, which is escaped; HTML; a list of both; null for nothing. */
type Part = string | number | Html | null | readonly Part[];

/** Returns the HTML of a template. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, index) => text + write(parts[index] ?? null)).join(''),
});

function write(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'html' in part ? part.html : part.map(write).join('');
}
