import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { notFoundError } from '#base/errors.js';
import type { Answer, OpenRoute } from '#http/route.js';
import { packageRoot } from '#base/package-root.js';
import { assetsPath, playgroundFiles, playgroundPackage, renderPage } from './playground-page.js';

/** The playground of an endpoint. */
interface Playground {
  /** The route of its files, which requires no rights. */
  readonly assets: OpenRoute;
  /** Returns the page, with a first query if there is one. */
  readonly page: (query: string | null) => Promise<Answer>;
}

/**
 * Creates the playground. The page is rendered on first use. Its files are copied by the build; if they are missing, the page
 * says so.
 */
export function createPlayground(endpoint: string): Playground {
  let rendered: ReturnType<typeof renderPage> | undefined;
  return {
    assets: {
      method: 'GET',
      path: `${endpoint}${assetsPath}/${playgroundPackage}/{*name}`,
      action: null,
      handle: ({ request }) => answerAsset(request.params['name'] ?? ''),
    },
    page: async (query) => {
      const { html, contentSecurityPolicy } = await (rendered ??= renderPage(endpoint));
      const headers = { 'Content-Security-Policy': contentSecurityPolicy, 'Content-Type': 'text/html; charset=utf-8' };
      return isBuilt() ? { headers, body: html(query) } : { status: 404, headers, body: missing };
    },
  };
}

const missing =
  '<!doctype html><title>GraphQL</title><p>The files of the playground are missing: run <code>npm run prepare</code>.';

/**
 * Returns the answer for a browser if the playground is disabled. It has the status of the answer to programs that send no query.
 */
export const explainEndpoint = (): Answer => ({
  status: 400,
  headers: { 'Content-Security-Policy': "default-src 'none'", 'Content-Type': 'text/html; charset=utf-8' },
  body: endpointPage,
});

const endpointPage = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <title>GraphQL</title>
  <h1>GraphQL endpoint</h1>
  <p>Programs send queries here by POST, as JSON: <code>{ "query": "{ __typename }" }</code></p>
  <p>A playground is here in development, and in production if <code>graphql.config.playgroundAlways</code> is set.</p>
</html>
`;

async function answerAsset(name: string): Promise<Answer> {
  const type = Object.hasOwn(playgroundFiles, name) ? playgroundFiles[name] : undefined;
  if (type === undefined || !isBuilt()) throw notFoundError();
  const shown = type.startsWith('text/') ? `${type}; charset=utf-8` : type;
  const headers = { 'Content-Type': shown, 'Cache-Control': 'public, max-age=31536000, immutable' }; // the path contains the version
  return { headers, body: await readFile(path.join(folder, name)) };
}

/** The folder to which the build copies the files. */
const folder = path.join(packageRoot, 'dist/playground');

const isBuilt = (): boolean => existsSync(path.join(folder, 'LICENSE'));
