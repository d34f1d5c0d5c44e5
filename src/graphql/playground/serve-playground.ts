import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { notFoundError } from '../../errors.js';
import type { Answer, OpenRoute } from '../../http/route.js';
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
      return directory() === null ? { status: 404, headers, body: missing } : { headers, body: html(query) };
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
  const asset = Object.hasOwn(playgroundFiles, name) ? playgroundFiles[name] : undefined;
  const from = directory();
  if (asset === undefined || from === null) throw notFoundError();
  const type = asset.type.startsWith('text/') ? `${asset.type}; charset=utf-8` : asset.type;
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }; // the path contains the version
  return { headers, body: await readFile(path.join(from, asset.file)) };
}

/** Returns the directory of the files, in the built program or, when running from sources, in dist/; null if there is none. */
function directory(): string | null {
  const candidates = ['../../../playground', '../../../dist/playground'].map((folder) =>
    path.resolve(import.meta.dirname, folder),
  );
  return candidates.find((folder) => existsSync(path.join(folder, 'LICENSE'))) ?? null;
}
