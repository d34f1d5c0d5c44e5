import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'koa';
import { playgroundFiles, playgroundPackage } from './playground-files.js';
import { assetsPath, renderPage } from './playground-page.js';

/** Answers requests for the playground's page and its files. */
export interface Playground {
  /** Whether the request is for one of the playground's files, which need no rights. */
  readonly isAsset: (ctx: Context) => boolean;
  readonly sendAsset: (ctx: Context) => Promise<void>;
  /** Whether a browser asks for the page: it prefers HTML to JSON, also where a query stands in the address (graphql.md 6). */
  readonly isPage: (ctx: Context) => boolean;
  readonly sendPage: (ctx: Context) => void;
}

/** The playground of an endpoint. Its files come from the build; where they are missing the page says so. */
export function createPlayground(endpoint: string): Playground {
  const page = renderPage(endpoint);
  const prefix = `${endpoint}${assetsPath}/${playgroundPackage}/`;
  return {
    isAsset: (ctx) => ctx.method === 'GET' && ctx.path.startsWith(prefix),
    sendAsset: (ctx) => sendAsset(ctx, ctx.path.slice(prefix.length)),
    isPage: (ctx) => ctx.method === 'GET' && ctx.accepts(['json', 'html']) === 'html',
    sendPage: (ctx) => {
      const present = directory() !== null;
      ctx.status = present ? 200 : 404;
      ctx.set('Content-Security-Policy', page.contentSecurityPolicy);
      ctx.type = 'text/html';
      ctx.body = present ? page.html : missing;
    },
  };
}

const missing =
  '<!doctype html><title>GraphQL</title><p>The files of the playground are missing: run <code>npm run prepare</code>.';

async function sendAsset(ctx: Context, name: string): Promise<void> {
  const asset = Object.hasOwn(playgroundFiles, name) ? playgroundFiles[name] : undefined;
  const from = directory();
  if (asset === undefined || from === null) {
    ctx.status = 404;
    return;
  }
  ctx.type = asset.type;
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable'); // the path names the version
  ctx.body = await readFile(path.join(from, asset.file));
}

/** Beside the built program, or in dist/ where the sources run. */
function directory(): string | null {
  const candidates = ['../../../playground', '../../../dist/playground'].map((folder) =>
    path.resolve(import.meta.dirname, folder),
  );
  return candidates.find((folder) => existsSync(path.join(folder, 'LICENSE'))) ?? null;
}
