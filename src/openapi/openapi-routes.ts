import { createHash } from 'node:crypto';
import { BoundedCache } from '../caches.js';
import type { Config } from '../config/config.js';
import type { AnyRoute, Answer, ProjectCode, Route, RouteCall } from '../http/route.js';
import { rightsKey } from './shown-attributes.js';

/**
 * Returns the routes of the OpenAPI document (`openapi.json` below the API prefix) and of TypeScript declarations of the content
 * types (`types.d.ts`). The code that generates them is loaded on the first request. `others` are the other rows of the route
 * table.
 */
export function openapiRoutes(config: Config, others: readonly AnyRoute[], projectCode: ProjectCode | null): Route[] {
  const row = (name: string, input: DocumentInput): Route => ({
    method: 'GET',
    path: `${config.api.rest.prefix}/${name}`,
    action: 'anybody',
    admitsAdmin: true,
    handle: documentAnswerer(input),
  });
  const types = row('types.d.ts', {
    type: 'application/typescript',
    write: async ({ content: { bind } }) => (await import('./print-types.js')).printTypes(bind.registry, bind.access),
    longestKept: Infinity,
    source: ({ content }) => content.bind.registry,
  });
  const document = row('openapi.json', {
    type: 'application/json',
    write: async (call) =>
      (await import('./build-document.js')).writeDocument(call, { config, routes: [types, document, ...others], projectCode }),
    longestKept: oldestExample,
    source: ({ content }) => projectCode?.routes() ?? content.bind.registry,
  });
  return [document, types];
}

/** Milliseconds for which a changed or deleted entry may still be shown as an example. */
const oldestExample = 60_000;

/** A generated document. */
interface WrittenDocument {
  readonly text: string;
  readonly tag: string;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

interface DocumentInput {
  /** The media type. */
  readonly type: string;
  readonly write: (call: RouteCall) => Promise<string> | string;
  /** Milliseconds after which the document is generated again. */
  readonly longestKept: number;
  /**
   * Returns the object that the document is generated from, apart from the rights of the caller: a new object after each change.
   */
  readonly source: (call: RouteCall) => object;
}

/**
 * Returns a handler that answers with a document about the models in force. Documents are cached by source and rights, and have
 * an ETag.
 */
function documentAnswerer({ type, write, longestKept, source }: DocumentInput): (call: RouteCall) => Promise<Answer> {
  const documents = new WeakMap<object, BoundedCache<WrittenDocument>>();
  return async (call) => {
    const from = source(call);
    const known = documents.get(from) ?? new BoundedCache<WrittenDocument>(bounds);
    documents.set(from, known);
    const key = await rightsKey(call);
    const kept = known.get(key);
    if (kept !== undefined && Date.now() - kept.writtenAt < longestKept) return answerDocument(kept, type, call);
    const text = await write(call);
    const written = { text, tag: `"${createHash('sha1').update(text).digest('base64url')}"`, writtenAt: Date.now() };
    known.set(key, written, 2 * text.length);
    return answerDocument(written, type, call);
  };
}

/** Bounds of the cached documents per source, which are found by rights. */
const bounds = { entries: 100, bytes: 100_000_000 };

function answerDocument({ text, tag }: WrittenDocument, type: string, { request }: RouteCall): Answer {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };
  const asked = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (asked.includes(tag)) return { status: 304, headers };
  return { headers: { ...headers, 'Content-Type': `${type}; charset=utf-8` }, body: text };
}
