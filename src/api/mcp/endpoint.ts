import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server, type CallToolResult } from '@modelcontextprotocol/server';
import { packageVersion } from '#base/package-root.js';
import { isRecord } from '#base/values.js';
import type { Answer, ProjectCode, RouteCall } from '#http/route.js';
import { agentCall, type AgentCall } from './agent-call.js';
import { shortName } from './arguments.js';
import { instructions } from './instructions.js';
import { callTool } from './call-tool.js';
import { servePrompts } from './prompts.js';
import { orProtocolError } from './refusals.js';
import { serveResources } from './resources.js';
import { findTool, offeredTools } from './tools.js';

/** The calls of requests that are under way. */
const calls = new WeakMap<Request, AgentCall>();

/** Creates a server for each message, because there are no sessions. It answers clients of all revisions. */
const handler = createMcpHandler(({ requestInfo }) => {
  const call = requestInfo && calls.get(requestInfo);
  if (call === undefined) throw new Error('a message without its request');
  return serverOf(call);
});

/** The address of every message. That of the request has the header Host in it, which may be no address. */
const address = 'http://localhost/';

/** Answers a message of a client. */
export async function answerMessage(call: RouteCall, projectCode: ProjectCode | null): Promise<Answer> {
  const { request } = call;
  const sent = new Request(address, { method: 'POST', headers: headersOf(call), body: '{}' });
  calls.set(sent, agentCall(call, projectCode));
  return answerOf(await handler.fetch(sent, { parsedBody: request.body }));
}

/** Headers of the connection and of the body, which has been read. */
const ofTransport: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

function headersOf({ request }: RouteCall): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !ofTransport.has(name)) headers.set(name, [value].flat().join(', '));
  return headers;
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

function serverOf(call: AgentCall): Server {
  const server = new Server(
    { name: 'mangrove', title: 'Mangrove', version: packageVersion },
    { capabilities: { tools: {}, resources: {} }, instructions: instructions(call) },
  );
  server.setRequestHandler('tools/list', () =>
    orProtocolError(call, () => Promise.resolve({ tools: offeredTools(call).map(({ definition }) => definition) })),
  );
  server.setRequestHandler('tools/call', ({ params: { name, arguments: input } }) =>
    orProtocolError(call, (): Promise<CallToolResult> => {
      const tool = findTool(name, call);
      if (tool === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${shortName(name)}`);
      return callTool(tool, isRecord(input) ? input : {}, call);
    }),
  );
  serveResources(server, call);
  servePrompts(server, call);
  return server;
}
