import { loadConfig } from '#settings/load-config.js';
import type { Config } from '#settings/config.js';
import { allSections } from '#declarations.js';
import { messageOf } from '#base/errors.js';
import { packageVersion } from '#base/package-root.js';
import { isRecord, type Values } from '#base/values.js';
import { print, printError } from './print.js';
import { parseOptions, text } from './usage-error.js';

export const usage = `usage: npx mangrove mcp [--url URL]
  prints the configuration of clients of the Model Context Protocol, and checks the endpoint with the token in
  MANGROVE_TOKEN, without credentials if there is none
  --url URL   the address of the service; by default that of config/server`;

/** Prints how clients reach the endpoint of agents, and whether it answers. Returns the exit code: 1 if it does not. */
export async function run(args: readonly string[]): Promise<number> {
  const { url } = parseOptions(args, { url: text });
  const config = await loadConfig({ directory: process.cwd(), known: allSections });
  const { enabled, path } = config.api.mcp;
  const address = `${(url ?? addressOf(config)).replace(/\/+$/, '')}${path}`;
  print(JSON.stringify(clientConfig(address), null, 2));
  if (!enabled && url === undefined) {
    printError('The endpoint is off: set MCP=true, or api.mcp.enabled in config/api');
    return 1;
  }
  return check(address);
}

const addressOf = ({ server }: Config): string => server.url ?? `http://localhost:${String(server.port)}`;

/** Returns the configuration that most clients read. They put the token of their environment into it. */
const clientConfig = (url: string): object => ({
  mcpServers: { mangrove: { type: 'http', url, headers: { Authorization: 'Bearer ${MANGROVE_TOKEN}' } } },
});

const revision = '2026-07-28';

const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'npx mangrove mcp', version: packageVersion },
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function check(address: string): Promise<number> {
  const token = process.env['MANGROVE_TOKEN'];
  try {
    const tools = await listTools(address, token);
    printError(`${address} offers ${tools.length === 0 ? 'no tools' : tools.join(', ')}`);
    return 0;
  } catch (error) {
    const remedy = token === undefined ? '; set MANGROVE_TOKEN to the token of a user, or to an API token' : '';
    printError(`${address} ${messageOf(error)}${remedy}`);
    return 1;
  }
}

/** Returns the names of the tools that the caller is offered. Throws an Error that says what the endpoint does instead. */
async function listTools(address: string, token: string | undefined): Promise<readonly string[]> {
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/list',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
  }).catch((error: unknown) => {
    throw new Error(`does not answer: ${messageOf(error)}`);
  });
  const body: unknown = await response.json().catch(() => null);
  const { result } = isRecord(body) ? body : ({} as Values);
  const tools = isRecord(result) ? result['tools'] : null;
  if (!Array.isArray(tools)) throw new Error(`answers ${String(response.status)} ${response.statusText}`);
  return tools.map((tool) => String(Object(tool).name));
}
