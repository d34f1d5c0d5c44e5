import { escapeHtml } from '../values.js';

/** Trusted HTML, which is not escaped. */
export interface Html {
  readonly html: string;
}

/** A value in a template: a string, which is escaped; HTML; a list; null for nothing. */
export type HtmlPart = string | number | Html | null | readonly HtmlPart[];

/** Returns the HTML of a template literal. */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html => ({
  html: texts.map((text, index) => text + write(parts[index] ?? null)).join(''),
});

function write(part: HtmlPart): string {
  if (part === null) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'html' in part ? part.html : part.map(write).join('');
}
