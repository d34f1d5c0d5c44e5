import { type CallToolResult, createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { packageVersion } from '#base/package-root.js';
import { isRecord } from '#base/values.js';
import type { ProjectCode } from '#http/project-code.js';
import type { Answer, RouteCall } from '#http/route.js';
import { agentCall, type AgentCall } from './agent-call.js';
import { shortName } from './arguments.js';
import { instructions } from './instructions.js';
import { callTool } from './call-tool.js';
import { withJson } from './late-json.js';
import { answerListen, answerOf, asksToListen, type Serve } from './listen.js';
import { servePrompts } from './prompts.js';
import { orProtocolError, reportErrors } from './refusals.js';
import { serveResources } from './resources.js';
import { findTool, offeredTools } from './tools.js';

/** The address of every message. That of the request has the header Host in it, which may be no address. */
const address = 'http://localhost/';

/** Answers a message of a client of any revision. There are no sessions, so that it has a server of its own. */
export async function answerMessage(call: RouteCall, projectCode: ProjectCode | null): Promise<Answer> {
  const { body } = call.request;
  const own = agentCall(call, projectCode);
  const errors: Error[] = [];
  const written: Written = { json: null };
  const onerror = (error: Error): void => void errors.push(error);
  const serve: Serve = async (message, options) => {
    const request = new Request(address, { method: 'POST', headers: headersOf(call), body: '{}' });
    const handler = createMcpHandler(({ era }) => serverOf(own, era, { onerror, written }), {
      ...options,
      onerror,
      keepAliveMs: 0,
    });
    const response = await handler.fetch(request, { parsedBody: message });
    // others have told the client
    if (response.status < 400 || response.status >= 500) reportErrors(errors, own);
    return { response, end: () => void handler.close() };
  };
  if (asksToListen(body)) return answerListen(body, own, serve);
  const answer = await answerOf((await serve(body, {})).response);
  return written.json === null ? answer : { ...answer, body: withJson(answer.body, written.json) };
}

/** The JSON of the answer of a tool, which the message does not have yet; null if there is none. */
interface Written {
  json: string | null;
}

interface Outcome {
  readonly onerror: (error: Error) => void;
  readonly written: Written;
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

/** Only clients of the newest revision can follow resources, because those before do it by sessions. */
function serverOf(call: AgentCall, era: 'modern' | 'legacy', { onerror, written }: Outcome): Server {
  const resources = era === 'modern' ? { subscribe: true } : {};
  const server = new Server(
    { name: 'mangrove', title: 'Mangrove', version: packageVersion },
    { capabilities: { tools: {}, resources }, instructions: instructions(call) },
  );
  server.setRequestHandler('tools/list', () =>
    orProtocolError(call, () => Promise.resolve({ tools: offeredTools(call).map(({ definition }) => definition) })),
  );
  server.setRequestHandler('tools/call', ({ params: { name, arguments: input } }) =>
    orProtocolError(call, async (): Promise<CallToolResult> => {
      const tool = findTool(name, call);
      if (tool === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${shortName(name)}`);
      const { result, json } = await callTool(tool, isRecord(input) ? input : {}, call);
      written.json = json;
      return result;
    }),
  );
  server.onerror = onerror;
  serveResources(server, call);
  servePrompts(server, call);
  return server;
}
