import type { Config } from '../config/config.js';
import type { AnyRoute, OwnCode, Route, RouteCall } from '../http/route.js';
import { buildDocument } from './build-document.js';
import { Components } from './components.js';
import { addExamples } from './examples.js';
import { listOperations } from './list-operations.js';
import { printTypes } from './print-types.js';
import { isAllowed, openRows } from './shown-attributes.js';
import { documentAnswerer } from './written-documents.js';

/**
 * What the API is, for programs: the OpenAPI document at `openapi.json` below its prefix, and TypeScript declarations of the content
 * types at `types.d.ts`. `others`: the other rows of the route table; `own`: code of a project, which answers before them.
 */
export function openapiRoutes(config: Config, others: readonly AnyRoute[], own: OwnCode | null): Route[] {
  const row = (name: string, input: Parameters<typeof documentAnswerer>[0]): Route => ({
    method: 'GET',
    path: `${config.api.rest.prefix}/${name}`,
    action: 'nothing',
    admitsAdmin: true,
    handle: documentAnswerer(input),
  });
  const types = row('types.d.ts', {
    type: 'application/typescript',
    write: ({ content: { bind } }) => printTypes(bind.registry, bind.access),
    longestKept: Infinity,
    source: ({ content }) => content.bind.registry,
  });
  const document = row('openapi.json', {
    type: 'application/json',
    write: (call) => writeDocument(call, { config, routes: [types, document, ...others], own }),
    longestKept: oldestExample,
    source: ({ content }) => own?.routes() ?? content.bind.registry,
  });
  return [document, types];
}

/** An entry that is deleted or changed is not shown as an example for longer; in milliseconds. */
const oldestExample = 60_000;

interface Described {
  readonly config: Config;
  readonly routes: readonly AnyRoute[];
  readonly own: OwnCode | null;
}

async function writeDocument(call: RouteCall, { config, routes, own }: Described): Promise<string> {
  const { content, running } = call;
  const { registry, access } = content.bind;
  const components = new Components(registry, access);
  const listed = listOperations({ config, routes, own, running, content, select: isAllowed(call.caller), components });
  const operations = await addExamples(listed, call);
  const isPublic = await openRows(call);
  return JSON.stringify(buildDocument({ operations, components, isPublic, version: registry.version }));
}
