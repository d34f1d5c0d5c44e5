import { createHash } from 'node:crypto';
import { escapeHtml } from '../values.js';
import { style } from './page-style.js';
import type { Answer } from './route.js';

/** A page of the service. It loads no files and runs no scripts. */
interface Page {
  readonly title: string;
  readonly body: Html;
  /** Whether its forms may be sent to the service. */
  readonly hasForms?: true;
}

/** Returns the answer with a page. */
export function pageAnswer({ title, body, hasForms }: Page): Answer & { readonly headers: Readonly<Record<string, string>> } {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${stylesheet}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policyOf(hasForms === true ? "'self'" : "'none'"),
    'Cache-Control': 'no-store',
  };
  return { headers, body: page.html };
}

/**
 * The stylesheet. The element contains nothing else, because the content security policy of the page has the hash of its content.
 */
const stylesheet: Html = { html: `<style>${style}</style>` };

const styleHash = createHash('sha256').update(style).digest('base64');

/** Returns the content security policy of a page, by the receivers of its forms. The hash allows the stylesheet. */
const policyOf = (formAction: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

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
