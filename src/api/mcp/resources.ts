import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import type { Values } from '#base/values.js';
import type { AgentCall } from './agent-call.js';
import { shortName } from './arguments.js';
import { describeNamed, listTypes } from './describe.js';
import { get } from './read-tools.js';
import { orProtocolError } from './refusals.js';

const scheme = 'mangrove://';
const mimeType = 'application/json';
const types = { uri: `${scheme}types`, name: 'types', title: 'The types', mimeType };

const templates = [
  { uriTemplate: `${scheme}types/{type}`, name: 'type', title: 'What a type consists of', mimeType },
  { uriTemplate: `${scheme}{type}/{id}`, name: 'entry', title: 'An entry', mimeType },
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
  const [first = '', second, ...more] = uri.startsWith(scheme) ? uri.slice(scheme.length).split('/') : [];
  if (more.length > 0) throw new ResourceNotFoundError(shortName(uri));
  if (uri === types.uri) return listTypes(undefined, call);
  if (first === 'types' && second !== undefined) return describeNamed(second, call);
  if (second === undefined || !/^[1-9]\d{0,14}$/.test(second)) throw new ResourceNotFoundError(shortName(uri));
  return get.run({ type: first, id: Number(second) }, call);
}
