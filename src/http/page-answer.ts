import { createHash } from 'node:crypto';
import { escapeHtml } from '#base/values.js';
import type { Answer } from './route.js';

/** A page of the service. It loads no files and runs no scripts. */
interface Page {
  readonly title: string;
  readonly body: Html;
  /** Whether its forms may be sent to the service. `redirected`: the answer may lead anywhere, which browsers count as sending. */
  readonly hasForms?: true | 'redirected';
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
    'Content-Security-Policy': policyOf(hasForms),
    'Cache-Control': 'no-store',
  };
  return { headers, body: page.html };
}

/** The stylesheet of the pages of the service, for light and dark color schemes and for widths from 320 pixels. */
const style = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2733; --soft: #52606d; --line: #d5dce3; --block: #f3f6f8; --link: #0b5cad; --warn: #fff6e0; --edge: #b97a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #12181f; --ink: #e6ebf0; --soft: #a3b0bd; --line: #33404d; --block: #1b242e; --link: #7ab8f5; --warn: #2e2612; --edge: #d9a441; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.05rem; }
p { margin: .25rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.soft { color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; list-style: none; }
nav li { flex: 1 1 11rem; }
main { margin-top: 1.5rem; }
nav a { display: block; height: 100%; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; text-decoration: none; }
nav a:hover { background: var(--block); }
nav strong { display: block; }
.warnings { margin: 0; padding: .75rem 1rem .75rem 2rem; border-left: 4px solid var(--edge); background: var(--warn); }
article { padding: 1rem 0; border-top: 1px solid var(--line); }
article header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
code, pre { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .75rem 1rem; border-radius: .5rem; background: var(--block); white-space: pre-wrap; }
.command { user-select: all; }
summary { padding: .25rem 0; cursor: pointer; color: var(--link); }
main li + li { margin-top: .25rem; }
ol > li { margin-top: 1rem; }
nav a[aria-current] { border-color: var(--link); background: var(--block); }
@media (max-width: 30rem) {
  .tabs li { flex-basis: 7rem; }
  .tabs span { display: none; }
}
main nav ul { margin: 1rem 0 0; }
main nav li + li { margin-top: 0; }
article h2 { margin: 0; font-size: 1.05rem; }
dl { display: grid; grid-template-columns: minmax(0, 11rem) minmax(65%, 1fr); gap: .15rem 1rem; margin: .5rem 0; }
dt { grid-column: 1; color: var(--soft); }
dd { grid-column: 2; margin: 0; min-width: 0; overflow-wrap: anywhere; }
p, h1, h2, h3, span { overflow-wrap: anywhere; }
form { display: grid; gap: 1rem; max-width: 24rem; }
form.log-out { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; max-width: none; margin-top: .5rem; }
label { display: grid; gap: .25rem; }
input, button { padding: .5rem .75rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--paper); color: var(--ink); font: inherit; }
label.choice { display: flex; gap: .5rem; }
button { justify-self: start; background: var(--block); cursor: pointer; }
input:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.pager a { display: inline; padding: .5rem .75rem; }
.pager { margin-top: 1.5rem; }
p.warnings { padding: .75rem 1rem; }
`;

/**
 * The stylesheet. The element contains nothing else, because the content security policy of the page has the hash of its content.
 */
const stylesheet: Html = { html: `<style>${style}</style>` };

const styleHash = createHash('sha256').update(style).digest('base64');

/** Returns the content security policy of a page. The hash allows the stylesheet. */
const policyOf = (hasForms: Page['hasForms']): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    "base-uri 'none'",
    ...(hasForms === 'redirected' ? [] : [`form-action ${hasForms ? "'self'" : "'none'"}`]),
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
