import type { CreateMcpHandlerOptions } from '@modelcontextprotocol/server';
import { ApiError, validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { Answer } from '#http/route.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AgentCall } from './agent-call.js';
import { type Resources, ListenStream, StreamBus } from './listen-stream.js';
import { parseResource } from './resource-name.js';
import { findServedType } from './served-types.js';
import { mayFollow } from './watch-entries.js';
import { digestOf } from './watch-types.js';

/** Maximum number of resources of one stream. */
const mostResources = 100;

/** Returns whether a message asks for a stream of changes. */
export const asksToListen = (body: unknown): body is Values => isRecord(body) && body['method'] === 'subscriptions/listen';

/** Lets the protocol answer a message. */
export type Serve = (
  message: unknown,
  options: Pick<CreateMcpHandlerOptions, 'bus'>,
) => Promise<{
  readonly response: Response;
  /** Lets the protocol say that a stream is over. */
  readonly end: () => void;
}>;

/**
 * Answers with a stream of the changes of resources. Those that the caller may not follow are not in the acknowledgement. Throws a
 * ValidationError for too many of them, and a 4xx or a 503 if too many requests wait for changes.
 */
export async function answerListen(message: Values, call: AgentCall, serve: Serve): Promise<Answer> {
  const params = isRecord(message['params']) ? message['params'] : {};
  const filter = isRecord(params['notifications']) ? params['notifications'] : {};
  const { resourceSubscriptions: uris } = filter;
  const resources = Array.isArray(uris) ? followable(uris, call) : null;
  const notifications = { ...filter, ...(resources !== null && { resourceSubscriptions: urisOf(resources) }) };
  const bus = new StreamBus();
  const narrowed = resources === null ? message : { ...message, params: { ...params, notifications } };
  const { response, end } = await serve(narrowed, { bus });
  if (resources === null || response.body === null || !bus.isOpen) return answerOf(response);
  const stream = new ListenStream(call, resources, { bus, end });
  await stream.start(call);
  void stream.send(response.body);
  return { headers: { ...headersOf(response), 'Cache-Control': 'no-store' }, body: stream };
}

/** Returns what the protocol has answered. */
export async function answerOf(response: Response): Promise<Answer & { readonly body: string }> {
  return { status: response.status, headers: headersOf(response), body: await response.text() };
}

const headersOf = ({ headers }: Response): Readonly<Record<string, string>> => Object.fromEntries(headers);

const urisOf = ({ types, entries }: Resources): readonly string[] => [
  ...types,
  ...[...entries.values()].flatMap((ids) => [...ids.values()].flat()),
];

/** Returns the resources that the caller may follow. Throws a ValidationError for too many. */
function followable(listed: readonly unknown[], call: AgentCall): Resources {
  if (listed.length > mostResources)
    throw validationError(`A stream tells of at most ${String(mostResources)} resources, not of ${String(listed.length)}`);
  const uris = [...new Set(listed.filter((uri) => typeof uri === 'string'))];
  const types = uris.filter((uri) => digestOf(uri, call) !== null);
  const entries = new Map<ContentType, Map<number, readonly string[]>>();
  for (const uri of uris) {
    const name = parseResource(uri);
    const type = name?.kind === 'entry' ? typeOf(name.type, call) : null;
    if (name?.kind !== 'entry' || type === null || !mayFollow(type, call)) continue;
    const ids = entries.get(type) ?? new Map<number, readonly string[]>();
    entries.set(type, ids.set(name.id, [...(ids.get(name.id) ?? []), uri]));
  }
  return { types, entries };
}

/** Returns the type of a name; null if the caller may use none of that name. */
function typeOf(name: string, call: AgentCall): ContentType | null {
  try {
    return findServedType(name, call).type;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
