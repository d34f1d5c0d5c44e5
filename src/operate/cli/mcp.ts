import type { Config } from '#settings/config.js';
import { messageOf } from '#base/errors.js';
import { packageVersion } from '#base/package-root.js';
import { isRecord, type Values } from '#base/values.js';
import { print, printError } from './print.js';
import { readConfigured } from './read-configured.js';
import { parseOptions, text, UsageError } from './usage-error.js';

export const usage = `usage: npx mangrove mcp [--client NAME] [--url URL]
  prints the configuration of clients of the Model Context Protocol, and checks the endpoint with the token in
  MANGROVE_TOKEN, without credentials if there is none
  --client NAME  claude-code (.mcp.json, the default), claude-desktop (claude_desktop_config.json),
                 cursor (.cursor/mcp.json) or vscode (.vscode/mcp.json)
  --url URL      the address of the service; by default that of config/server`;

/** Prints how clients reach the endpoint of agents, and whether it answers. Returns the exit code: 1 if it does not. */
export async function run(args: readonly string[]): Promise<number> {
  const { url, client = 'claude-code' } = parseOptions(args, { url: text, client: text });
  const configOf = new Map(Object.entries(clients)).get(client);
  if (configOf === undefined) throw new UsageError(`--client ${client}: one of ${Object.keys(clients).join(', ')}`);
  const { config } = await readConfigured();
  const { enabled, path } = config.api.mcp;
  const address = `${(url ?? addressOf(config)).replace(/\/+$/, '')}${path}`;
  print(JSON.stringify(configOf(address), null, 2));
  const isFine = await check(address); // the service may have another environment
  if (!isFine && !enabled && url === undefined)
    printError('The endpoint is off here: set MCP=true for the service, or api.mcp.enabled in config/api');
  return isFine ? 0 : 1;
}

const addressOf = ({ server }: Config): string => server.url ?? `http://localhost:${String(server.port)}`;

/** Returns the headers with the token, which is named as a client writes it. */
const headers = (token: string): object => ({ Authorization: `Bearer ${token}` });

/** The package that hands the messages of a program on this machine on, for clients that start programs alone. */
const bridge = ['-y', 'mcp-remote'];

/** The configurations of clients. They put the token of their environment into it, or ask for it. */
const clients: Readonly<Record<string, (url: string) => object>> = {
  'claude-code': (url) => ({ mcpServers: { mangrove: { type: 'http', url, headers: headers('${MANGROVE_TOKEN}') } } }),
  'claude-desktop': (url) => {
    // a space in an argument is lost on some systems
    const parameters = [...bridge, url, '--header', 'Authorization:${MANGROVE_AUTHORIZATION}'];
    const env = { MANGROVE_AUTHORIZATION: 'Bearer the-token' };
    return { mcpServers: { mangrove: { command: 'npx', args: parameters, env } } };
  },
  cursor: (url) => ({ mcpServers: { mangrove: { url, headers: headers('${env:MANGROVE_TOKEN}') } } }),
  vscode: (url) => ({
    inputs: [{ type: 'promptString', id: 'mangrove-token', description: 'Token for Mangrove', password: true }],
    servers: { mangrove: { type: 'http', url, headers: headers('${input:mangrove-token}') } },
  }),
};

const revision = '2026-07-28';

const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'npx mangrove mcp', version: packageVersion },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Prints what the endpoint offers, or why it does not answer. Returns whether it does. */
async function check(address: string): Promise<boolean> {
  const token = process.env['MANGROVE_TOKEN'];
  try {
    const tools = await listTools(address, token);
    printError(`${address} offers ${tools.length === 0 ? 'no tools' : tools.join(', ')}`);
    return true;
  } catch (error) {
    const remedy = token === undefined ? '; set MANGROVE_TOKEN to the token of a user, or to an API token' : '';
    printError(`${address} ${messageOf(error)}${remedy}`);
    return false;
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
