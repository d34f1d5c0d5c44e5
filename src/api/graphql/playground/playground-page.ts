import { createHash } from 'node:crypto';
import type { renderPlaygroundPage as render } from 'graphql-playground-html';

/**
 * The playground page and its content security policy, which allows its own scripts by their hashes, and files of this service.
 */
interface PlaygroundPage {
  /** Returns the page. The editor contains `query` if this browser opens the page for the first time. */
  readonly html: (query: string | null) => string;
  readonly contentSecurityPolicy: string;
}

/** Path of the page's files, relative to the endpoint. */
export const assetsPath = '/playground-assets';

/**
 * Renders the playground of an endpoint. The page contains only the configured path and names of content types, and nothing of
 * the request, so that no request can inject a script. Fonts of other hosts are removed.
 */
export async function renderPage(endpoint: string): Promise<PlaygroundPage> {
  const { renderPlaygroundPage } = await import('graphql-playground-html');
  const rendered = renderPlaygroundPage({
    endpoint,
    cdnUrl: `${endpoint}${assetsPath}`,
    version: playgroundPackage.split('@')[1] ?? '',
    title: 'GraphQL Playground',
    settings,
  });
  const own = rendered
    .replace(/<link href="https:\/\/fonts[^>]*>/, '')
    .replace(/<html\s*>/, '<html lang="en">')
    .replace('</head>', `<style>${narrowStyle}</style></head>`)
    .trimStart();
  const [start = '', end = ''] = own.split('</body>');
  const html = (query: string | null): string =>
    `${start}<div id="first-query" hidden>${query ?? ''}</div><script>${completeConfig}</script><script>${reportRemovals}</script></body>${end}`;
  return { html, contentSecurityPolicy: policyOf(html(null)) };
}

/**
 * Sets the theme to the colour scheme of the browser, and opens a tab with the first query unless this browser has stored tabs.
 */
const completeConfig = `{
  const config = document.getElementById('playground-config');
  const query = document.getElementById('first-query').textContent;
  const given = JSON.parse(config.textContent);
  const theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  const isNew = query !== '' && localStorage.getItem('graphql-playground') === null;
  const tabs = isNew ? { tabs: [{ endpoint: location.origin + given.endpoint, query }] } : {};
  config.textContent = JSON.stringify({ ...given, ...tabs, settings: { ...given.settings, 'editor.theme': theme } });
}`;

/**
 * Dispatches a mutation event that browsers no longer send, to the parent of each removed node. The playground needs it to remove
 * completion hints.
 */
const reportRemovals = `new MutationObserver((changes) => {
  for (const { target, removedNodes } of changes)
    for (const node of removedNodes) {
      const event = new Event('DOMNodeRemoved', { bubbles: true });
      Object.defineProperty(event, 'target', { value: node });
      target.dispatchEvent(event);
    }
}).observe(document.body, { childList: true, subtree: true });`;

// the types require all settings, but the page needs only those that differ from its defaults
const settings = { 'schema.polling.interval': 10_000, 'request.credentials': 'same-origin' } as NonNullable<
  Parameters<typeof render>[0]['settings']
>;

function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)].map(([, script = '']) => hashOf(script));
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scripts],
    'style-src': ["'self'", "'unsafe-inline'"], // the playground adds style elements
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'self'"],
  };
  return Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** The package with the files of the playground. */
export const playgroundPackage = 'graphql-playground-react@1.7.28';

/** The files that the page loads and the licence, with their media types, by path in the package. */
export const playgroundFiles: Readonly<Record<string, string>> = {
  'build/static/css/index.css': 'text/css',
  'build/static/js/middleware.js': 'text/javascript',
  'build/favicon.png': 'image/png',
  LICENSE: 'text/plain',
};

/**
 * Styles for phones: the answer is below the query, and of the buttons only the address is shown. The class names are those of
 * the pinned package version.
 */
const narrowStyle = `@media (max-width: 700px) {
  html, body { overflow: hidden; }
  .playground, .graphiql-wrapper, .sc-EHOje, .sc-ifAKCX, .sc-cvbbAY { width: 100%; min-width: 0; }
  .sc-cvbbAY { box-sizing: border-box; padding-right: 10px; }
  .sc-cvbbAY > button { display: none; }
  .sc-cvbbAY > .sc-brqgnP { flex: 1; min-width: 0; margin: 0; }
  .sc-brqgnP input { width: 100%; min-width: 0; box-sizing: border-box; }
  .sc-ibxdXY { flex-direction: column; width: 100%; }
  .sc-ibxdXY > div { flex: 1 1 50% !important; width: 100%; min-width: 0; min-height: 0; }
  .sc-RefOD > .sc-bdVaJa { top: -24px; right: 40px; left: auto; margin: 0; transform: scale(0.7); }
  .sc-iQKALj { display: none; }
  .sc-iuJeZd { left: 0; right: 28px; width: auto; text-align: center; transform: none; }
  .sc-kgAjT { max-width: calc(100vw - 28px); }
}`;
