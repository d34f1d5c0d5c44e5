import { createHash } from 'node:crypto';
import type { renderPlaygroundPage as render } from 'graphql-playground-html';

/** The page of the playground and the policy that lets it run: its own scripts by their hashes, everything else from here. */
interface PlaygroundPage {
  /** Returns the page; the editor contains `query` when a browser opens it for the first time. */
  readonly html: (query: string | null) => string;
  readonly contentSecurityPolicy: string;
}

/** Below the endpoint: where the files that the page loads are served. */
export const assetsPath = '/playground-assets';

/**
 * Renders the playground for an endpoint. Only the configured path and the names of content types go into it, never anything of a
 * request, so that no request can inject a script; fonts of other hosts are removed.
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
    `${start}<div id="first-query" hidden>${query ?? ''}</div><script>${openFirstQuery}</script><script>${reportRemovals}</script></body>${end}`;
  return { html, contentSecurityPolicy: policyOf(html(null)) };
}

/** Opens a tab with the first query if this browser has stored none. */
const openFirstQuery = `{
  const config = document.getElementById('playground-config');
  const query = document.getElementById('first-query').textContent;
  if (query !== '' && localStorage.getItem('graphql-playground') === null) {
    const given = JSON.parse(config.textContent);
    config.textContent = JSON.stringify({ ...given, tabs: [{ endpoint: location.origin + given.endpoint, query }] });
  }
}`;

/**
 * The playground removes the notes of a completion on a mutation event that browsers no longer send. This script sends it to the
 * parent of each removed node.
 */
const reportRemovals = `new MutationObserver((changes) => {
  for (const { target, removedNodes } of changes)
    for (const node of removedNodes) {
      const event = new Event('DOMNodeRemoved', { bubbles: true });
      Object.defineProperty(event, 'target', { value: node });
      target.dispatchEvent(event);
    }
}).observe(document.body, { childList: true, subtree: true });`;

// the types require every setting, the page only those that differ from its defaults
const settings = { 'schema.polling.interval': 10_000, 'request.credentials': 'same-origin' } as NonNullable<
  Parameters<typeof render>[0]['settings']
>;

function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)].map(([, script = '']) => hashOf(script));
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scripts],
    'style-src': ["'self'", "'unsafe-inline'"], // the playground writes its styles into the page
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

/** The package whose built files make the playground. */
export const playgroundPackage = 'graphql-playground-react@1.7.28';

interface PlaygroundFile {
  /** In the package, and in the folder that the build copies it to. */
  readonly file: string;
  readonly type: string;
}

/** The files that the page loads, by their path below the package's name, with their licence. */
export const playgroundFiles: Readonly<Record<string, PlaygroundFile>> = {
  'build/static/css/index.css': { file: 'build/static/css/index.css', type: 'text/css' },
  'build/static/js/middleware.js': { file: 'build/static/js/middleware.js', type: 'text/javascript' },
  'build/favicon.png': { file: 'build/favicon.png', type: 'image/png' },
  LICENSE: { file: 'LICENSE', type: 'text/plain' },
};

/**
 * Lets the playground be used on a phone: the answer is below the query, and of the buttons above only the address is shown.
 * The names are those of the pinned package.
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
