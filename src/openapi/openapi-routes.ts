import type { Config } from '../config/config.js';
import type { AnyRoute, OwnCode, Route } from '../http/route.js';
import { documentAnswerer } from './written-documents.js';

/**
 * The routes of the OpenAPI document (`openapi.json` below the prefix of the API) and of TypeScript declarations of the content
 * types (`types.d.ts`). The code that writes them is loaded with the first request. `others`: the other rows of the route table;
 * `own`: code of a project, which answers before them.
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
    write: async ({ content: { bind } }) => (await import('./print-types.js')).printTypes(bind.registry, bind.access),
    longestKept: Infinity,
    source: ({ content }) => content.bind.registry,
  });
  const document = row('openapi.json', {
    type: 'application/json',
    write: async (call) =>
      (await import('./build-document.js')).writeDocument(call, { config, routes: [types, document, ...others], own }),
    longestKept: oldestExample,
    source: ({ content }) => own?.routes() ?? content.bind.registry,
  });
  return [document, types];
}

/** An entry that is deleted or changed is not shown as an example for longer; in milliseconds. */
const oldestExample = 60_000;
