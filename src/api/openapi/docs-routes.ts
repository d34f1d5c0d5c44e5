import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '#settings/config.js';
import { notFoundError } from '#base/errors.js';
import type { Answer, OpenRoute } from '#http/route.js';
import { packageRoot } from '#base/package-root.js';

/** The files of swagger-ui that the page loads, with their media types. The build copies them to dist/docs. */
export const docsFiles: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

/** The content security policy of the page, which loads only files of this service and runs no inline scripts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * Returns the routes of the documentation page at `/docs` and its files. The page shows the OpenAPI document and sends requests.
 */
export function docsRoutes({ api }: Config): OpenRoute[] {
  const script = startScript(`${api.rest.prefix}/openapi.json`);
  return [
    {
      method: 'GET',
      path: '/docs',
      action: null,
      page: { name: 'Documentation', about: 'the REST API, to read and to try' },
      handle: answerPage,
    },
    { method: 'GET', path: '/docs/start.js', action: null, handle: () => sent('text/javascript', script) },
    { method: 'GET', path: '/docs/files/:name', action: null, handle: ({ request }) => answerFile(request.params['name'] ?? '') },
  ];
}

const sent = (type: string, body: string | Buffer): Answer => ({
  headers: { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy },
  body,
});

const answerPage = (): Answer => (isBuilt() ? sent('text/html', page) : { ...sent('text/html', missing), status: 404 });

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API documentation</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/files/swagger-ui.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/files/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const missing =
  '<!doctype html><title>API documentation</title><p>The files of the page are missing: run <code>npm run build</code>.</p>';

/**
 * Returns the script of the page. It loads the document again for each entered token, because the document lists only operations
 * that the token allows.
 */
const startScript = (url: string): string => `
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();
let token = null;
const readingAgain = (tokenOf) => (action, system) => (given) => {
  const result = action(given);
  token = tokenOf(given);
  system.specActions.download(${JSON.stringify(url)});
  return result;
};
const authorize = readingAgain((given) => given.bearer?.value ?? null);
const tokens = () => ({ statePlugins: { auth: { wrapActions: { authorize, logout: readingAgain(() => null) } } } });
SwaggerUIBundle({
  url: ${JSON.stringify(url)},
  dom_id: '#docs',
  layout: 'BaseLayout',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  plugins: [tokens],
  requestInterceptor: (request) => {
    if (token !== null && request.loadSpec) request.headers.Authorization = 'Bearer ' + token;
    return request;
  },
});
`;

async function answerFile(name: string): Promise<Answer> {
  const type = Object.hasOwn(docsFiles, name) ? docsFiles[name] : undefined;
  if (type === undefined || !isBuilt()) throw notFoundError();
  const { headers, body } = sent(type, await readFile(path.join(folder, name)));
  return { headers: { ...headers, 'Cache-Control': 'public, max-age=3600' }, body };
}

/** The folder to which the build copies the files. */
const folder = path.join(packageRoot, 'dist/docs');

const isBuilt = (): boolean => Object.keys(docsFiles).every((name) => existsSync(path.join(folder, name)));
