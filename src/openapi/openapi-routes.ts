import { createHash } from 'node:crypto';
import { BoundedCache } from '../bounded-cache.js';
import type { Config } from '../config/config.js';
import type { Answer, AnyRoute, Route, RouteCall } from '../http/route.js';
import type { Registry } from '../schema/content-type.js';
import { buildDocument } from './build-document.js';
import { Components } from './components.js';
import { isAllowed, openRows, rightsKey } from './reader-rights.js';
import { addExamples } from './examples.js';
import { listOperations } from './list-operations.js';

/** A document as it is sent. */
interface WrittenDocument {
  readonly text: string;
  readonly tag: string;
  /** Examples of content are this old; in milliseconds of the clock. */
  readonly writtenAt: number;
}

/** The document at `openapi.json` below the prefix of the API. `others`: the other rows of the route table. */
export function openapiRoutes(config: Config, others: readonly AnyRoute[]): Route[] {
  const documents = new WeakMap<Registry, BoundedCache<WrittenDocument>>();
  const write = writer(config, () => [route, ...others]);
  const route: Route = {
    method: 'GET',
    path: `${config.api.rest.prefix}/openapi.json`,
    action: 'nothing',
    admitsAdmin: true,
    handle: async (call) => {
      const { registry } = call.content.bind;
      const known = documents.get(registry) ?? new BoundedCache<WrittenDocument>(bounds);
      documents.set(registry, known);
      const key = await rightsKey(call);
      const kept = known.get(key);
      const isKept = kept !== undefined && Date.now() - kept.writtenAt < longestKept;
      const document = isKept ? kept : await write(call);
      if (!isKept) known.set(key, document, 2 * document.text.length);
      return answerDocument(document, call);
    },
  };
  return [route];
}

/** One document for each set of rights that readers have. */
const bounds = { entries: 100, bytes: 100_000_000 };

/** An entry that is deleted or changed is not shown as an example for longer; in milliseconds. */
const longestKept = 60_000;

const writer =
  (config: Config, routes: () => readonly AnyRoute[]) =>
  async (call: RouteCall): Promise<WrittenDocument> => {
    const { content, running } = call;
    const { registry, access } = content.bind;
    const components = new Components(registry, access);
    const { caller } = call;
    const select = isAllowed(caller);
    const listed = listOperations({ config, routes: routes(), running, content, select, components });
    const operations = await addExamples(listed, call);
    const document = buildDocument({ operations, components, isPublic: await openRows(call), version: registry.version });
    const text = JSON.stringify(document);
    return { text, tag: `"${createHash('sha1').update(text).digest('base64url')}"`, writtenAt: Date.now() };
  };

function answerDocument({ text, tag }: WrittenDocument, { request }: RouteCall): Answer {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };
  const asked = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (asked.includes(tag)) return { status: 304, headers };
  return { headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' }, body: text };
}
