import { expect } from 'chai';
import { createServer } from '#index.js';
import { serveModels, type Serving } from '../../support/serve.js';

const withOptions = (apolloServer: object) => ({ plugins: { graphql: { config: { apolloServer: { ...apolloServer } } } } });

describe('apolloServer.cors and apolloServer.bodyParserConfig', () => {
  let serving: Serving;

  before(async () => {
    serving = await serveModels({
      models: [],
      config: withOptions({
        cors: {
          origin: ['https://a.test', 'https://b.test'],
          credentials: true,
          allowHeaders: 'X-Own,Content-Type,If-Match,If-None-Match,Idempotency-Key,Idempotency-Repeat,X-Preview-Token',
          maxAge: 60,
        },
        bodyParserConfig: { jsonLimit: '2kb' },
      }),
    });
  });
  after(() => serving.stop());

  /** Status and the headers of CORS, but for those that say which headers there are. */
  async function ask(path: string, init: RequestInit, { url }: { url: string } = serving.server) {
    const { status, headers } = await fetch(`${url}${path}`, init);
    return { status, origin: headers.get('access-control-allow-origin'), allowed: headers.get('access-control-allow-headers') };
  }

  const post = (body: string, origin = 'https://b.test'): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body,
  });
  const preflight: RequestInit = {
    method: 'OPTIONS',
    headers: { origin: 'https://a.test', 'access-control-request-method': 'POST' },
  };
  const query = JSON.stringify({ query: '{ __typename }' });

  it('name the origins that may use the endpoint, and nothing else', async () => {
    for (const path of ['/graphql', '/graphql/']) {
      expect(await ask(path, post(query))).to.deep.equal({ status: 200, origin: 'https://b.test', allowed: null });
      expect((await ask(path, post(query, 'https://evil.test'))).origin).to.equal(null);
      const { origin, allowed } = await ask(path, preflight);
      expect([origin, allowed]).to.deep.equal([
        'https://a.test',
        'X-Own,Content-Type,If-Match,If-None-Match,Idempotency-Key,Idempotency-Repeat,X-Preview-Token',
      ]);
    }
    expect((await ask('/api/upload/files', post(query, 'https://evil.test'))).origin).to.equal('*');
    expect((await ask('/api/upload/files', preflight)).allowed).to.equal(
      'Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Idempotency-Key,Idempotency-Repeat,X-Preview-Token',
    );
  });

  it('limit the bodies of the endpoint, and of nothing else', async () => {
    const long = JSON.stringify({ query: '{ __typename }', variables: { text: 'x'.repeat(2048) } });
    expect((await ask('/graphql', post(long))).status).to.equal(413);
    expect((await ask('/graphql', post(query))).status).to.equal(200);
    expect((await ask('/api/auth/local', post(long))).status).to.equal(400);
  });

  it('let a function decide, and accept a larger body', async () => {
    const config = withOptions({
      cors: { origin: (ctx: { get: (name: string) => string }) => ctx.get('Origin').replace('a.test', 'c.test') },
      bodyParserConfig: { jsonLimit: 3 * 1024 * 1024 },
    });
    const { server, stop } = await serveModels({ models: [], config });
    try {
      expect((await ask('/graphql', preflight, server)).origin).to.equal('https://c.test');
      const long = JSON.stringify({ query: '{ __typename }', variables: { text: 'x'.repeat(2 * 1024 * 1024) } });
      expect((await ask('/graphql', post(long), server)).status).to.equal(200);
      expect((await ask('/api/auth/local', post(long), server)).status).to.equal(413);
    } finally {
      await stop();
    }
  });

  it('change nothing if absent or false; invalid sizes are refused', async () => {
    const { server, stop } = await serveModels({ models: [], config: withOptions({ cors: false, bodyParserConfig: true }) });
    try {
      expect((await ask('/graphql', preflight, server)).origin).to.equal('*');
    } finally {
      await stop();
    }
    const refused = await createServer({
      config: { ...withOptions({ bodyParserConfig: { jsonLimit: 'much' } }), database: { uri: 'mongodb://localhost' } },
    }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refused).to.contain('plugins.graphql.config.apolloServer.bodyParserConfig.jsonLimit is "much"');
  });
});
