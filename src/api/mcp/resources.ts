import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import type { Values } from '#base/values.js';
import type { AgentCall } from './agent-call.js';
import { shortName } from './arguments.js';
import { describeType, listTypes } from './describe.js';
import { getById } from './read-tools.js';
import { orProtocolError } from './refusals.js';
import { parseResource, templatesOf, typesUri } from './resource-name.js';

const mimeType = 'application/json';
const types = { uri: typesUri, name: 'types', title: 'The types', mimeType };

const templates = [
  { uriTemplate: templatesOf.type, name: 'type', title: 'What a type consists of', mimeType },
  { uriTemplate: templatesOf.entry, name: 'entry', title: 'An entry', mimeType },
];

/** Serves types and entries as resources: `mangrove://types`, `mangrove://types/article` and `mangrove://article/8`. */
export function serveResources(server: Server, call: AgentCall): void {
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }));
  server.setRequestHandler('resources/list', ({ params }) => orProtocolError(call, () => listResources(params?.cursor, call)));
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    orProtocolError(call, async () => ({ contents: [{ uri, mimeType, text: JSON.stringify(await readResource(uri, call)) }] })),
  );
}

/** Returns the list of types, and each of them, page by page. */
function listResources(cursor: string | undefined, call: AgentCall) {
  const page = listTypes(cursor, call);
  const listed = (page['types'] as readonly { readonly type: string; readonly name: string }[]).map(({ type, name }) => ({
    ...{ uri: `${types.uri}/${type}`, name: type, title: name, mimeType },
  }));
  const next = page['nextCursor'];
  const resources = cursor === undefined ? [types, ...listed] : listed;
  return Promise.resolve({ resources, ...(typeof next === 'string' && { nextCursor: next }) });
}

/** Returns what an address names. Throws a ResourceNotFoundError for other addresses. */
function readResource(uri: string, call: AgentCall): Values | Promise<Values> {
  const name = parseResource(uri);
  if (name === null) throw new ResourceNotFoundError(shortName(uri));
  if (name.kind === 'types') return listTypes(undefined, call);
  if (name.kind === 'type') return describeType(name.type, call);
  return getById(name, call);
}
