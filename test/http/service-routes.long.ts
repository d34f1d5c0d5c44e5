import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import type { Config } from '#settings/config.js';
import { features } from '#features.js';
import { modelSettings } from '#http/feature.js';
import type { AnyRoute, FixedRoute, Row } from '#http/route.js';
import { Connection } from '#http/running.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { TestModel } from '../support/serve.js';
import { serviceRoutes } from '../support/service-routes.js';
import type { Registry } from '#model/schema/content-type.js';
import { serve, type ServeInput, type Served } from './serve.js';

const refreshTokens = { enabled: true };
const configOf = (prefix: string): Config =>
  createConfig({ api: { rest: { prefix } }, plugins: { 'users-permissions': { config: { refreshTokens } } } });

const isFixed = (route: AnyRoute): route is FixedRoute => !('find' in route);

const samples: Readonly<Record<string, string>> = { id: '5', provider: 'corp', uid: 'api::note.note', code: 'fr' };

/** A path that a row answers. */
const sampleOf = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => samples[name] ?? 'x').replaceAll(/\{(\/?)\*\w+\}/g, '$1a/b');

const keyOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

/** The same rows, each of which answers with its key, whoever asks. */
const marked = (routes: readonly AnyRoute[]): AnyRoute[] =>
  routes.map((route): AnyRoute => {
    const answering = (key: string): Row => ({ action: null, handle: () => ({ body: key }) });
    if (isFixed(route)) return { method: route.method, path: route.path, ...answering(keyOf(route)) };
    return {
      path: route.path,
      find: () => new Map(['GET', 'PUT'].map((method) => [method, answering(keyOf({ method, path: route.path }))])),
    };
  });

interface Answered {
  readonly status: number;
  readonly allow: string | null;
  readonly text: string;
}

const ask = async ({ port }: Served, method: string, path: string): Promise<Answered> => {
  const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, { method });
  return { status: response.status, allow: response.headers.get('allow'), text: await response.text() };
};

/** Serves for as long as the work takes. */
async function serving(input: ServeInput, work: (server: Served) => Promise<void>): Promise<void> {
  const server = await serve(input);
  await work(server).finally(() => server.close());
}

for (const prefix of ['/api', '', '/v1/content'])
  describe(`the routes of the service, those of the API below "${prefix}"`, () => {
    const routes = serviceRoutes(configOf(prefix));
    const fixed = routes.filter(isFixed);

    it('are there for every front end', () => {
      const paths = fixed.map(({ path }) => path);
      expect(paths).to.include.members(['/_health', '/_health/ready', '/graphql', '/uploads/{*name}', '/admin/api/models']);
      expect(paths).to.include.members(
        ['/upload/files/:id', '/users/me', '/auth/local', '/i18n/locales'].map((path) => prefix + path),
      );
      expect(routes.filter((route) => !isFixed(route)).map(({ path }) => path)).to.deep.equal(
        [
          '/:name/aggregate',
          '/:name',
          '/:name/count',
          '/:name/:id',
          '/:name/:id/localizations',
          '/:name/by/:attribute/:value',
        ].map((path) => prefix + path),
      );
      expect(new Set(fixed.map(keyOf)).size).to.equal(fixed.length);
    });

    it('are all reachable: no row follows one that matches its requests', () =>
      serving({ routes: marked(routes) }, async (server) => {
        for (const { method, path } of fixed) {
          const { text } = await ask(server, method === 'ALL' ? 'PATCH' : method, sampleOf(path));
          expect(text).to.equal(keyOf({ method, path }));
        }
        for (const { path } of routes.filter((route) => !isFixed(route)))
          for (const method of ['GET', 'PUT'])
            expect((await ask(server, method, sampleOf(path))).text).to.equal(keyOf({ method, path }));
      }));

    it('list their methods in the answer to another method', () =>
      serving({ routes: marked(routes) }, async (server) => {
        for (const path of new Set(fixed.map((route) => route.path))) {
          const methods = fixed.filter((route) => route.path === path).map(({ method }) => method);
          if (methods.includes('ALL')) continue;
          const allow = ['HEAD', 'GET', ...methods.filter((method) => method !== 'GET')].join(', ');
          const other = { status: 405, allow, text: 'Method Not Allowed' };
          expect(await ask(server, 'PATCH', sampleOf(path)), path).to.deep.equal(other);
          expect(await ask(server, 'OPTIONS', sampleOf(path)), path).to.deep.equal({ status: 200, allow, text: '' });
          expect(await ask(server, 'PURGE', sampleOf(path)), path).to.deep.equal({
            status: 501,
            allow: null,
            text: 'Not Implemented',
          });
          if (methods.includes('GET')) continue;
          const missing = await ask(server, 'GET', sampleOf(path));
          expect([missing.status, JSON.parse(missing.text).error.name], path).to.deep.equal([404, 'NotFoundError']);
        }
      }));

    it('answer before the database has, by 503 if they need it', () =>
      serving({ routes, connection: new Connection() }, async (server) => {
        const early: Record<string, number> = {};
        for (const route of routes)
          for (const method of isFixed(route)
            ? [route.method, 'PATCH', 'OPTIONS', 'PURGE']
            : ['GET', 'POST', 'OPTIONS', 'PURGE']) {
            const { status, text } = await ask(server, method === 'ALL' ? 'GET' : method, sampleOf(route.path));
            expect(status, keyOf({ method, path: route.path })).to.be.oneOf([200, 204, 404, 405, 501, 503]);
            if (status === 503 && route.path !== '/_health/ready')
              expect(JSON.parse(text).error.message).to.equal('The database is not available, please try again later');
            early[`${method} ${route.path}`] = status;
          }
        expect(early).to.include({
          'ALL /_health': 204,
          'ALL /_health/ready': 503,
          'OPTIONS /graphql': 204,
          'ALL /graphql': 503,
          'GET /uploads/{*name}': 503,
          'GET /admin/api/models': 503,
          [`GET ${prefix}/users`]: 503,
          [`PATCH ${prefix}/users`]: 405,
          [`GET ${prefix}/:name`]: 503,
        });
        expect((await ask(server, 'GET', '/unknown/of/all/four')).status).to.equal(404);
      }));
  });

describe('the routes of content types', () => {
  const note: TestModel = {
    uid: 'api::note.note',
    kind: 'collectionType',
    collectionName: 'notes',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    pluginOptions: { i18n: { localized: true } },
    attributes: { text: { type: 'string' } },
  };
  const home: TestModel = {
    ...note,
    uid: 'api::home.home',
    kind: 'singleType',
    collectionName: 'homes',
    info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
  };
  const registryOf = (...models: readonly { readonly uid: string }[]): Registry => buildRegistry(models).registry;

  let server: Served;
  const models = { snapshot: { registry: registryOf() } };
  before(async () => {
    const connection = new Connection();
    connection.running = { backend: { models } } as never; // all that finding a type asks of it
    server = await serve({ routes: serviceRoutes(configOf('/api')), connection });
  });
  after(() => server.close());

  const entry = 'HEAD, GET, PUT, DELETE';
  const unknown = 'HEAD, GET';
  const cases: readonly (readonly [path: string, models: readonly TestModel[], allow: string])[] = [
    ['/api/notes', [note], 'HEAD, GET, POST'],
    ['/api/notes/', [note], 'HEAD, GET, POST'],
    ['/api/notes', [], unknown],
    ['/api/notes', [home], unknown],
    ['/api/note', [note], unknown],
    ['/api/note%73', [note], unknown],
    ['/api/notes/1', [note], entry],
    ['/api/notes/localizations', [note], entry],
    ['/api/notes/count', [note], 'HEAD, GET'],
    ['/api/notes/count/localizations', [note], 'HEAD, GET, POST'],
    ['/api/notes/by/text/1', [note], unknown],
    ['/api/notes/by/text/1', [{ ...note, attributes: { text: { type: 'uid' } } }], 'HEAD, GET'],
    ['/api/notes/1/localizations', [note], 'HEAD, GET, POST'],
    ['/api/notes/1/localizations', [{ ...note, pluginOptions: {} }], unknown],
    ['/api/notes/1/2', [note], unknown],
    ['/api/home', [home], entry],
    ['/api/homes', [home], unknown],
    ['/api/home/1', [home], unknown],
    ['/api/home/count', [home], unknown],
    ['/api/home/by/text/1', [{ ...home, attributes: { text: { type: 'uid' } } }], unknown],
    ['/api/home/localizations', [home], 'HEAD, GET, POST'],
    ['/api/home/localizations', [{ ...home, pluginOptions: {} }], unknown],
    ['/api/home/1/localizations', [home], unknown],
  ];
  for (const [path, stored, allow] of cases)
    it(`${path} with ${stored.map(({ uid }) => uid).join() || 'no type'}: ${allow}`, async () => {
      models.snapshot = { registry: registryOf(...stored) };
      expect(await ask(server, 'PATCH', path)).to.deep.equal({ status: 405, allow, text: 'Method Not Allowed' });
    });

  it('exist as soon as the registry has the type, and cost one look-up for any number of types', async () => {
    for (const count of [10, 500]) {
      const others = Array.from({ length: count - 1 }, (_, index) => {
        const name = `other-${'abcdefghij'.charAt(index % 10)}${String(index)}`;
        return {
          ...note,
          uid: `api::${name}.${name}`,
          collectionName: name,
          info: { singularName: name, pluralName: `${name}s`, displayName: name },
        };
      });
      const looked: string[] = [];
      const whole = registryOf(...others, note);
      const counting = (types: Registry['byPluralName']): Registry['byPluralName'] =>
        ({
          get: (name: string) => {
            looked.push(name);
            return types.get(name);
          },
        }) as unknown as Registry['byPluralName']; // going through all types would throw
      const served = { byPluralName: counting(whole.byPluralName), bySingularName: counting(whole.bySingularName) };
      models.snapshot = { registry: { ...whole, ...served } };
      expect(whole.byPluralName.size).to.equal(count);
      expect((await ask(server, 'PATCH', '/api/notes/1')).allow).to.equal(entry);
      expect((await ask(server, 'PATCH', '/api/other-a0s')).allow).to.equal('HEAD, GET, POST');
      expect(looked).to.deep.equal(['notes', 'other-a0s']);
    }
  });
});

describe('plural names that are paths of the service', () => {
  const firstPart = (path: string, prefix: string): string => path.slice(prefix.length + 1).split('/')[0] ?? '';
  const isName = /^[a-z][a-z0-9-]*$/;

  const prefixes: readonly (readonly [prefix: string, endpoint: string, names: readonly string[]])[] = [
    ['', '/graphql', ['graphql', 'uploads', 'admin', 'docs', 'users', 'upload']],
    ['', '/deep/graphql', ['deep', 'uploads']],
    ['/api', '/graphql', ['users', 'upload']],
    ['/api', '/api/query', ['query', 'users']],
    ['/docs', '/graphql', ['files', 'users']],
  ];
  for (const [prefix, endpoint, names] of prefixes)
    it(`below ${prefix || '/'}, GraphQL at ${endpoint}: ${names.join(', ')}`, () => {
      const config = createConfig({ api: { rest: { prefix } }, plugins: { graphql: { config: { endpoint } } } });
      const settings = modelSettings(features, config);
      const problemOf = (pluralName: string) => {
        const info = { singularName: 'thing', pluralName, displayName: 'Thing' };
        const named = { uid: 'api::thing.thing', kind: 'collectionType', info, attributes: { title: { type: 'string' } } };
        return [...buildRegistry([named], settings).problems.values()].flat().join('; ');
      };
      for (const name of names) expect(problemOf(name)).to.equal(`path ${name} is taken by the service itself`);
      expect(problemOf('things')).to.equal('');
      for (const name of ['sync', 'shapes']) expect(problemOf(name)).to.equal(''); // its routes yield to a content type
      const fixed = serviceRoutes(config).filter((row) => !('yields' in row) && row.path.startsWith(`${prefix}/`));
      const parts = new Set(fixed.map(({ path }) => firstPart(path, prefix)).filter((part) => isName.test(part)));
      for (const part of parts) expect(problemOf(part), part).to.include(`path ${part} is taken`);
    });
});
