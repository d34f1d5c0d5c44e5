import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { lookup } from 'mime-types';
import type { Config } from '#settings/config.js';
import { notFoundError } from '#base/errors.js';
import type { RouteRequest } from '#http/route-request.js';
import type { Answer, OpenRoute } from '#http/route.js';
import { commandLine } from '#base/command-line.js';
import { previewOrigins } from '../preview/settings.js';
import { hasPanel, panelFinder, type PanelFiles, servesPanel } from './panel-files.js';

/**
 * Returns the routes of the pages of the panel. They come last, because the panel finds its way in the browser: a path below its own
 * that is neither a route nor a file is answered with the page.
 */
export function pageRoutes(config: Config): readonly OpenRoute[] {
  if (!servesPanel(config)) return [];
  const find = panelFinder(config);
  const policy = policyOf(config);
  const handle = async ({ request }: { readonly request: RouteRequest }): Promise<Answer> => {
    const panel = await find();
    const name = request.params['path'] ?? '';
    if (panel === null) return notBuilt(request, name);
    return answerFile(request, fileOf(panel, { name, asksForPage: request.asksForPage }), policy);
  };
  const page = {
    name: 'Admin',
    path: config.admin.url,
    get about() {
      return `the panel to edit content${hasPanel(config) ? '' : `, which is built once: ${commandLine('panel build')}`}`;
    },
  };
  return [{ method: 'GET', path: `${config.admin.url}{/*path}`, action: null, handle, page }];
}

/** Returns the path of the file to answer. Throws a NotFoundError for a file that does not exist, such as one of an earlier build. */
function fileOf(
  { page, files }: PanelFiles,
  { name, asksForPage }: { readonly name: string; readonly asksForPage: boolean },
): string {
  const file = files.get(name);
  if (file !== undefined) return file;
  if (name !== '' && !asksForPage) throw notFoundError();
  return page;
}

/** Says how to get a panel. Throws a NotFoundError for other files than the page. */
function notBuilt(request: RouteRequest, name: string): Answer {
  if (name !== '' && !request.asksForPage) throw notFoundError();
  const text = `The admin panel has not been built. Build it, then reload this page:\n${commandLine('panel build')}\n`;
  return { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, body: text };
}

/** Names with a hash of the content, of esbuild and of the bundlers of Strapi v4. */
const hashed = /[.-]([A-Z2-7]{8}|[0-9a-f]{8}|[0-9a-f]{20})\./;

async function answerFile(request: RouteRequest, file: string, policy: string): Promise<Answer> {
  const { size, mtimeMs } = await stat(file);
  const tag = `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  const type = lookup(file) || 'application/octet-stream';
  const headers = {
    'Content-Type': /^text\/|javascript|json/.test(type) ? `${type}; charset=utf-8` : type,
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin', // the service recognizes requests of the panel by it
    'Cache-Control': hashed.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: tag,
  };
  if (request.headers['if-none-match']?.includes(tag) === true) return { status: 304, headers };
  const whole = { ...headers, 'Content-Length': String(size) };
  return request.method === 'HEAD' ? { headers: whole } : { headers: whole, body: createReadStream(file) };
}

/** The sources that the pages need, by directive. */
const ownSources = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'media-src': ["'self'", 'data:', 'blob:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'frame-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
} as const;

/** Sources that name a host, other than `https:`, `*` and keywords such as `'unsafe-inline'`. */
const namesHost = (source: string): boolean => /^(\w+:\/\/)?(\*\.)?[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(source);

/** Directives that the configuration may extend, with the sources that it may add. */
const extended: Readonly<Partial<Record<string, (source: string) => boolean>>> = {
  'img-src': () => true,
  'media-src': () => true,
  ...Object.fromEntries(['script-src', 'style-src', 'font-src', 'connect-src', 'frame-src'].map((name) => [name, namesHost])),
};

/**
 * Returns the content security policy of the panel. Media may also come from the sources that the configuration allows for all
 * pages, such as a bucket. Plugins whose editor is loaded from a host need that host for scripts and frames: hosts that the
 * configuration names are allowed for the panel too. Frames show the pages of previews.
 */
function policyOf(config: Config): string {
  const configured = config.middlewares.security.contentSecurityPolicy;
  return Object.entries(ownSources)
    .map(([name, own]) => {
      const added = (configured[name] ?? []).filter((source) => extended[name]?.(source) === true);
      const previews = name === 'frame-src' ? previewOrigins(config) : [];
      return [name, ...new Set([...own, ...added, ...previews])].join(' ');
    })
    .join('; ');
}
