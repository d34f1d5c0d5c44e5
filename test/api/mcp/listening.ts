import { Client, type McpSubscription, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** A stream of changes, and what it has told so far. */
export interface Stream {
  readonly uris: readonly string[];
  readonly subscription: McpSubscription;
  /** Resolves when the stream has told of a resource. */
  readonly heard: (uri: string) => Promise<void>;
  /** Forgets what was told. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

/** Follows resources as a client of the newest revision. */
export async function listen(url: string, token: string, resources: readonly string[]): Promise<Stream> {
  const client = new Client({ name: 'listener', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const uris: string[] = [];
  const waits = new Set<() => void>();
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    uris.push(uri);
    for (const wait of waits) wait();
  });
  const subscription = await client.listen({ resourceSubscriptions: [...resources] });
  const heard = (uri: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!uris.includes(uri)) return;
        waits.delete(look);
        resolve();
      };
      waits.add(look);
      look();
    });
  return { uris, subscription, heard, forget: () => uris.splice(0), close: () => client.close() };
}
