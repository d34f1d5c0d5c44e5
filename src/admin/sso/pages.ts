import { createHash } from 'node:crypto';
import type { ApiError } from '#base/errors.js';
import { html, pageAnswer } from '#http/page-answer.js';
import type { Answer } from '#http/route.js';

const ofPages = { 'Referrer-Policy': 'no-referrer', 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff' };

/** Gives the token to the panel, which keeps one for as long as the tab is open, and goes there. */
const script = `
const { token, panel } = document.body.dataset;
localStorage.removeItem('jwtToken');
localStorage.removeItem('userInfo');
sessionStorage.removeItem('userInfo');
sessionStorage.setItem('jwtToken', JSON.stringify(token));
location.replace(panel);
`;

const scriptHash = createHash('sha256').update(script).digest('base64');

const element = { html: `<script>${script}</script>` };

/** Returns the page that logs in to the panel at a path with a token. */
export function logInPage(token: string, panel: string, cookie: string): Answer {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Log in</title>
        <link rel="icon" href="data:," />
      </head>
      <body data-token="${token}" data-panel="${panel}">
        <noscript>The panel needs JavaScript.</noscript>
        ${element}
      </body>
    </html>`;
  const policy = `default-src 'none'; script-src 'sha256-${scriptHash}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' };
  return { headers: { ...headers, ...ofPages, 'Set-Cookie': cookie }, body: page.html };
}

/** Returns the page that says why a sign-on has failed, with the way back to the log-in. */
export function failurePage(error: ApiError, panel: string, cookie: string | null): Answer {
  const body = html`<header><h1>No log-in</h1></header>
    <main>
      <p class="warnings" role="alert">${error.message}</p>
      <p><a href="${panel}">Back to the log-in</a></p>
    </main>`;
  const page = pageAnswer({ title: 'No log-in', body });
  const headers = { ...page.headers, ...error.headers, ...ofPages, ...(cookie !== null && { 'Set-Cookie': cookie }) };
  return { ...page, status: error.status, headers };
}
