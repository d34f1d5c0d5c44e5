import { expect } from 'chai';
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { CurrentSchema } from '#api/graphql/endpoint/current-schema.js';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Registry } from '#model/schema/content-type.js';
import { documents, models } from './content.js';
import { serveGraphql } from './serve-graphql.js';

const empty = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { ok: { type: GraphQLString } } }) });
const registry = (version: number): Registry => ({ ...buildRegistry([]).registry, version });

describe('The GraphQL schema in force', () => {
  it('is waited for while it is built, and of several only the last is built', async () => {
    const built: number[] = [];
    const waiting: (() => void)[] = [];
    const current = new CurrentSchema(
      ({ version }) => {
        built.push(version);
        return new Promise((resolve) => {
          waiting.push(() => {
            resolve(empty);
          });
        });
      },
      () => undefined,
    );
    const first = current.replace(registry(1));
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting.shift()?.();
    await first;
    const version = async (): Promise<number> => (await current.read()).registry.version;
    const begun = async (): Promise<void> => {
      while (waiting.length === 0) await new Promise(setImmediate);
    };
    const second = current.replace(registry(2));
    const early = version();
    await begun();
    const later = [current.replace(registry(3)), current.replace(registry(4))];
    const late = version();
    waiting.shift()?.();
    expect(await early).to.equal(2);
    await begun();
    waiting.shift()?.();
    await Promise.all([second, ...later]);
    expect(await late).to.equal(4);
    expect(built).to.deep.equal([1, 2, 4]);
  });

  it('is built when it is read, if the one before was not', async () => {
    const built: number[] = [];
    const current = new CurrentSchema(
      async ({ version }) => {
        await new Promise(setImmediate);
        built.push(version);
        return empty;
      },
      () => undefined,
    );
    const versions = (): Promise<number[]> =>
      Promise.all([current.read(), current.read()].map(async (read) => (await read).registry.version));
    for (const version of [1, 2, 3]) await current.replaceWhenRead(registry(version));
    expect(built).to.deep.equal([1]);
    expect(await versions()).to.deep.equal([3, 3]);
    expect(built).to.deep.equal([1, 3]);
    await current.replaceWhenRead(registry(4));
    expect(built).to.deep.equal([1, 3, 4]);
    await current.replaceWhenRead(registry(5));
    await current.replace(registry(6));
    expect(await versions()).to.deep.equal([6, 6]);
    expect(built).to.deep.equal([1, 3, 4, 6]);
  });

  it('stays if the next one cannot be built', async () => {
    const reported: unknown[] = [];
    const current = new CurrentSchema(
      ({ version }) => (version === 1 ? Promise.resolve(empty) : Promise.reject(new Error('no'))),
      (error) => reported.push(error),
    );
    await current.replace(registry(1));
    await current.replace(registry(2));
    expect((await current.read()).registry.version).to.equal(1);
    expect(reported).to.have.length(1);
  });

  it('answers 503 before the first one is built', async () => {
    const current = new CurrentSchema(
      (snapshot) => buildSchema(snapshot),
      () => undefined,
    );
    const error: unknown = await current.read().catch((thrown: unknown) => thrown);
    expect(error).to.have.property('status', 503);
  });

  it('takes up a new type, and answers with it', async () => {
    const server = await serveGraphql({ models, documents: { ...documents, ships: [{ _id: 1, name: 'Nina' }] } });
    try {
      expect((await server.query('{ ships { data { attributes { name } } } }')).status).to.equal(400);
      const ship = {
        uid: 'api::ship.ship',
        kind: 'collectionType',
        collectionName: 'ships',
        info: { singularName: 'ship', pluralName: 'ships', displayName: 'Ship' },
        attributes: { name: { type: 'string' } },
      };
      await server.current.replace(buildRegistry([...models, ship]).registry);
      const { body } = await server.query('{ ships { data { attributes { name } } } }');
      expect(body).to.deep.equal({ data: { ships: { data: [{ attributes: { name: 'Nina' } }] } } });
    } finally {
      await server.stop();
    }
  });
});
