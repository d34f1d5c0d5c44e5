import { memoize } from '#base/caches.js';
import type { Sender } from '#base/limits/queue.js';
import { isRecord } from '#base/values.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import type { ProjectCode } from '#http/project-code.js';
import type { RouteCall } from '#http/route.js';
import type { BindSettings } from '#model/query/bind-context.js';

/** A message of an agent. */
export interface AgentCall extends RouteCall {
  /** Code of a project; null if there is none. */
  readonly projectCode: ProjectCode | null;
}

/**
 * Returns the call of a message. What it asks for and does not get is refused, because models repeat what has no effect, and it creates
 * drafts.
 */
export function agentCall(call: RouteCall, projectCode: ProjectCode | null): AgentCall {
  const { bind, store } = call.content;
  const { database } = store;
  const content: ContentContext = { ...call.content, createsDrafts: true, bind: { ...bind, settings: strictly(bind.settings) } };
  const { sender } = database;
  if (sender === null) return { ...call, content, projectCode };
  return { ...call, content: withDatabase(content, { ...database, sender: withAgent(sender, agentOf(call)) }), projectCode };
}

/** Returns the same object for the same settings, because it is part of the key of bound queries. */
const strictly = memoize((settings: BindSettings): BindSettings => ({ ...settings, strict: true }));

const withAgent = (sender: Sender, agent: string): Sender => ({
  client: sender.client,
  signal: sender.signal,
  requestId: sender.requestId,
  trace: sender.trace,
  agent,
  ...(sender.caller !== undefined && { caller: sender.caller }),
});

const longestName = 100;

/**
 * Returns the name of the program that has sent a message. Clients of older revisions say it only once, in a message of its own, so that
 * it is their user agent.
 */
function agentOf({ request: { body, headers } }: RouteCall): string {
  const params = isRecord(body) ? body['params'] : null;
  const meta = isRecord(params) ? params['_meta'] : null;
  const info = isRecord(meta) ? meta['io.modelcontextprotocol/clientInfo'] : null;
  const name = isRecord(info) ? info['name'] : null;
  return (typeof name === 'string' && name !== '' ? name : (headers['user-agent'] ?? 'unknown')).slice(0, longestName);
}

/** Returns the number of bytes that an answer may have. */
export const maxBytesOf = ({ running }: AgentCall): number => running.config.api.mcp.maxBytes;
