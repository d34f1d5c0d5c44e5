import { createHash } from 'node:crypto';
import { BoundedCache, memoize } from '#base/caches.js';
import type { RouteParts } from '#http/feature.js';
import { text } from '#http/json-schema.js';
import { answers, type Operation } from '#http/operation.js';
import { refuseOthers } from '#http/query-string.js';
import type { Answer, Route, RouteCall } from '#http/route.js';
import { admitting } from '#http/steps/callers.js';
import { projectVersion } from '#base/package-root.js';
import { rightsKey } from './shown-attributes.js';

/**
 * Returns the routes of the OpenAPI document (`openapi.json` below the API prefix) and of TypeScript declarations of the content
 * types (`types.d.ts`). The code that generates them is loaded on the first request.
 */
export function openapiRoutes({ config, projectCode, table }: RouteParts): Route[] {
  const version = projectVersion(config.directory);
  const row = (name: string, operation: Operation, input: DocumentInput): Route => ({
    method: 'GET',
    path: `${config.api.rest.prefix}/${name}`,
    action: 'anybody',
    operation,
    steps: [admitting],
    handle: documentAnswerer(input),
  });
  const types = row('types.d.ts', typesOperation, {
    type: 'application/typescript',
    write: async ({ content: { bind } }) => (await import('./print-types.js')).printTypes(bind.registry, bind.access),
    maxBytes: Infinity,
    source: ({ content }) => content.bind.registry,
  });
  const document = row('openapi.json', documentOperation, {
    type: 'application/json',
    write: async (call) => {
      const { writeDocument } = await import('./build-document.js');
      return writeDocument(call, { config, routes: table(), projectCode, version });
    },
    maxBytes: oldestExample,
    source: ({ content }) => projectCode?.routes() ?? content.bind.registry,
  });
  return [{ ...document, page: { name: 'OpenAPI', about: 'the same for code generators' } }, types];
}

const documentOperation: Operation = {
  id: 'readDocument',
  summary: 'Read this document',
  tag: 'Models',
  description: 'Lists the operations that the caller may use; with an admin token all of them.',
  answers: answers({ type: 'object' }, 'An OpenAPI document'),
};

const typesOperation: Operation = {
  id: 'readTypes',
  summary: 'Read the content types as TypeScript',
  tag: 'Models',
  description: 'Contains the types on which the caller may do something; with an admin token all of them.',
  answers: { 200: { description: 'Declarations', content: { 'application/typescript': text } } },
};

/** Milliseconds for which a changed or deleted entry may still be shown as an example. */
const oldestExample = 60_000;

interface WrittenDocument {
  readonly bytes: Buffer;
  readonly tag: string;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

interface DocumentInput {
  /** The media type. */
  readonly type: string;
  readonly write: (call: RouteCall) => Promise<string> | string;
  /** Milliseconds after which the document is generated again. */
  readonly maxBytes: number;
  /**
   * Returns the object that the document is generated from, apart from the rights of the caller: a new object after each change.
   */
  readonly source: (call: RouteCall) => object;
}

/** The documents of one source, by the rights of their readers. */
interface Documents {
  readonly documents: BoundedCache<WrittenDocument>;
  /** Documents that are being generated. Requests for the same one wait for it. */
  readonly begun: Map<string, Promise<WrittenDocument>>;
}

/**
 * Returns a handler that answers with a document about the models in force. Documents are cached by source and rights, and have
 * an ETag.
 */
function documentAnswerer(input: DocumentInput): (call: RouteCall) => Promise<Answer> {
  const documentsOf = memoize<object, Documents>(() => ({ documents: new BoundedCache(bounds), begun: new Map() }));
  return async (call) => {
    refuseOthers(call.request.query, []);
    const from = input.source(call);
    return answerDocument(await findDocument(documentsOf(from), call, input), input.type, call);
  };
}

/** Bounds of the cached documents per source. A document of 300 content types has about 8 MB. */
const bounds = { entries: 100, bytes: 200_000_000 };

async function findDocument({ documents, begun }: Documents, call: RouteCall, input: DocumentInput): Promise<WrittenDocument> {
  const key = await rightsKey(call);
  const cachedDocument = documents.get(key);
  if (cachedDocument !== undefined && Date.now() - cachedDocument.writtenAt < input.maxBytes) return cachedDocument;
  const running = begun.get(key);
  if (running !== undefined) return running;
  const writing = writeOnce(call, input).finally(() => begun.delete(key));
  begun.set(key, writing);
  const written = await writing;
  documents.set(key, written, written.bytes.length);
  return written;
}

async function writeOnce(call: RouteCall, { write }: DocumentInput): Promise<WrittenDocument> {
  const bytes = Buffer.from(await write(call));
  return { bytes, tag: `"${createHash('sha1').update(bytes).digest('base64url')}"`, writtenAt: Date.now() };
}

function answerDocument({ bytes, tag }: WrittenDocument, type: string, { request }: RouteCall): Answer {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };
  const tags = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (tags.includes(tag)) return { status: 304, headers };
  return { headers: { ...headers, 'Content-Type': `${type}; charset=utf-8` }, body: bytes };
}
