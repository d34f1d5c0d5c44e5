import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** The answer of a tool. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly content: any;
}

/** A client that is connected to the endpoint. */
export interface Agent {
  /** What the endpoint says that it can do. */
  readonly capabilities: object;
  readonly tools: () => Promise<readonly { readonly name: string; readonly inputSchema: object }[]>;
  readonly call: (name: string, input?: object) => Promise<ToolAnswer>;
  readonly close: () => Promise<void>;
}

/** The clients of the protocol, by the revision that they speak. */
export const clients = {
  '2026-07-28': connectNew,
  '2025-11-25': connectOld,
} as const;

const info = { name: 'test agent', version: '1.0' };

const headersOf = (token: string | null) => ({
  requestInit: { headers: token === null ? {} : { authorization: `Bearer ${token}` } },
});

interface Called {
  readonly isError?: unknown;
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}

function answerOf(called: object): ToolAnswer {
  const { isError, content, structuredContent } = called as Called; // of each client
  const [first] = content as readonly { readonly text: string }[]; // tools answer texts
  return { isError: isError === true, text: first?.text ?? '', content: structuredContent };
}

/** Connects a client of the newest revision. */
export async function connectNew(url: string, token: string | null = null): Promise<Agent> {
  const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), headersOf(token)));
  return {
    capabilities: client.getServerCapabilities() ?? {},
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: { ...input } })),
    close: () => client.close(),
  };
}

/** Connects a client of the revision before, whose package has another name. */
export async function connectOld(url: string, token: string | null = null): Promise<Agent> {
  const client = new OldClient(info);
  await client.connect(new OldTransport(new URL(url), headersOf(token)) as Transport);
  return {
    capabilities: client.getServerCapabilities() ?? {},
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}) => answerOf(await client.callTool({ name, arguments: { ...input } })),
    close: () => client.close(),
  };
}
