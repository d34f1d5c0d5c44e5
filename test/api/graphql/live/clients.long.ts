import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client as UrqlClient, cacheExchange, fetchExchange, subscriptionExchange } from '@urql/core';
import { expect } from 'chai';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import relay from 'relay-runtime';
import { WebSocket } from 'ws';
import { type Result, serveLive, type ServingLive } from './serve-live.js';

const text = 'subscription Changes { postsChanges { op id entry { id attributes { title } } } }';

interface Sink {
  readonly next: (result: Result) => void;
  readonly error: (error: unknown) => void;
}

/** Subscribes with a client. Returns what ends the subscription. */
type Subscribe = (url: string, token: string, sink: Sink) => () => void;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const webSocket = (url: string, token: string) =>
  createWsClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: bearer(token),
  });

const events = (url: string, token: string) => createSseClient({ url: `${url}/graphql`, headers: bearer(token) });

const apollo =
  (linkOf: (url: string, token: string) => HttpLink | GraphQLWsLink): Subscribe =>
  (url, token, { next, error }) => {
    const client = new ApolloClient({ link: linkOf(url, token), cache: new InMemoryCache() });
    const subscription = client.subscribe({ query: gql(text), fetchPolicy: 'no-cache' }).subscribe({
      next: ({ data, error: failed }) => {
        if (failed === undefined) next(data);
        else error(failed);
      },
      error,
    });
    return () => {
      subscription.unsubscribe();
      client.stop();
    };
  };

type Forward = Parameters<typeof subscriptionExchange>[0]['forwardSubscription'];

const urql =
  (forwardOf: (url: string, token: string) => Forward): Subscribe =>
  (url, token, { next, error }) => {
    const exchanges = [cacheExchange, fetchExchange, subscriptionExchange({ forwardSubscription: forwardOf(url, token) })];
    const client = new UrqlClient({ url: `${url}/graphql`, exchanges });
    const { unsubscribe } = client.subscription(text, {}).subscribe((result) => {
      if (result.error === undefined) next(result.data);
      else error(result.error);
    });
    return unsubscribe;
  };

/** What the clients of both protocols have. */
interface ProtocolClient {
  subscribe(
    request: { readonly query: string; readonly variables?: Record<string, unknown> },
    sink: { next(value: Result): void; error(error: unknown): void; complete(): void },
  ): () => void;
}

const forward =
  (clientOf: (url: string, token: string) => ProtocolClient) =>
  (url: string, token: string): Forward => {
    const client = clientOf(url, token);
    return ({ query = '', variables = {} }) => ({
      subscribe: (sink) => ({ unsubscribe: client.subscribe({ query, variables: variables as Record<string, unknown> }, sink) }),
    });
  };

const relayNetwork =
  (clientOf: (url: string, token: string) => ProtocolClient): Subscribe =>
  (url, token, { next, error }) => {
    const client = clientOf(url, token);
    const { Network, Observable } = relay;
    const network = Network.create(
      () => Promise.reject(new Error('not used')),
      ({ text: query }) => Observable.create((sink) => client.subscribe({ query: query ?? '' }, sink as never)),
    );
    const request = { operationKind: 'subscription', name: 'Changes', text, id: null, cacheID: 'changes', metadata: {} };
    const subscription = network.execute(request as never, {}, {}).subscribe({
      next: (result) => {
        next((result as Result).data);
      },
      error,
    });
    return () => {
      subscription.unsubscribe();
    };
  };

const clients: Readonly<Record<string, Subscribe>> = {
  'Apollo Client in parts': apollo((url, token) => new HttpLink({ uri: `${url}/graphql`, headers: bearer(token) })),
  'Apollo Client by WebSocket': apollo((url, token) => new GraphQLWsLink(webSocket(url, token))),
  'urql by WebSocket': urql(forward(webSocket as never)),
  'urql with events': urql(forward(events as never)),
  'Relay by WebSocket': relayNetwork(webSocket as never),
  'Relay with events': relayNetwork(events as never),
};

describe('clients of subscriptions', () => {
  let server: ServingLive;

  before(async () => {
    server = await serveLive();
  });
  after(() => server.stop());

  for (const [name, subscribe] of Object.entries(clients))
    it(`hear of changes: ${name}`, async () => {
      const received: Result[] = [];
      let told: (error?: unknown) => void = () => undefined;
      const end = subscribe(server.server.url, server.editor, {
        next: ({ postsChanges }) => {
          received.push(postsChanges);
          told();
        },
        error: (error) => {
          told(error);
        },
      });
      const until = async (isLast: (change: Result) => boolean): Promise<Result> => {
        for (;;) {
          const found = received.find(isLast);
          if (found !== undefined) return found;
          await new Promise<void>((resolve, reject) => {
            told = (error) => {
              if (error === undefined) resolve();
              else reject(error as Error);
            };
          });
        }
      };
      try {
        await until(({ op }) => op === 'uptodate');
        const data = { title: name, publishedAt: new Date().toISOString() };
        const { body } = await server.as(server.editor, 'POST', '/api/posts', { data });
        const upsert = await until(({ op, id }) => op === 'upsert' && id === String(body.data.id));
        expect(upsert.entry).to.deep.include({ id: String(body.data.id) });
        expect(upsert.entry.attributes.title).to.equal(name);
        await server.as(server.editor, 'DELETE', `/api/posts/${String(body.data.id)}`);
        await until(({ op, id }) => op === 'delete' && id === String(body.data.id));
      } finally {
        end();
      }
    });
});
