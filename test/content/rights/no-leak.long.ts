import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import qs from 'qs';
import { findName } from '#api/graphql/type-names.js';
import type { ContentType } from '#model/schema/content-type.js';
import { bookshopModels, recordedModels } from '../../support/read-project.js';
import { askGraphql } from './no-leak/ask-graphql.js';
import { askRest } from './no-leak/ask-rest.js';
import { Draw } from './no-leak/draw.js';
import { leaks, valuesIn } from './no-leak/leaks.js';
import { drawRole, isShown, type Rights } from './no-leak/rights.js';
import { leadsTo, type Walk } from './no-leak/walk.js';
import { buildWorld, fileUid, userUid } from './no-leak/world.js';
import { serveAccounts, type ServingAccounts } from './serve-accounts.js';

/** Roles that are tried, and the queries of each over REST and GraphQL. More roles: `NO_LEAK_ROLES=500 npx mocha -g "no answer"`. */
const roles = Number(process.env['NO_LEAK_ROLES'] ?? 5);
const firstSeed = Number(process.env['NO_LEAK_SEED'] ?? 1);
const queries = 10;

const limits = { depthLimit: 60, limits: { tokens: 50_000, cost: 100_000_000, aliases: 5000 } };

/** User 2 has role 1, and sends a token of its own; the public has role 2. */
const callers = [
  { role: 1, userId: 2, token: jwt.sign({ id: 2 }, 'jwt-secret-of-the-tests-0123456789abcdef') },
  { role: 2, userId: null, token: null },
] as const;

interface Asking {
  readonly server: ServingAccounts;
  readonly rights: Rights;
  readonly token: string | null;
  readonly draw: Draw;
}

for (const [name, models] of Object.entries({ recorded: recordedModels(), bookshop: bookshopModels() }))
  describe(`no answer contains values that the role may not read, with the ${name} models`, () => {
    const world = buildWorld(models);
    const met = { forbidden: 0, refused: 0, answered: 0, filtered: 0, values: 0, byGraphql: 0 };
    let server: ServingAccounts;
    before(async () => {
      const documents = Object.fromEntries(world.types.map(({ uid, collection }) => [collection, world.rows.get(uid) ?? []]));
      server = await serveAccounts({ models, documents, config: { plugins: { graphql: { config: limits } } } });
    });
    after(() => server.stop());

    for (let seed = firstSeed; seed < firstSeed + roles; seed++)
      it(`under random roles and queries, seed ${String(seed)}`, async () => {
        const draw = new Draw(seed * 7919);
        const { role, userId, token } = callers[seed % 2 === 0 ? 0 : 1];
        const { rights, actions, rules } = drawRole(world, userId, draw);
        expect((await server.admin('PUT', `/roles/${String(role)}`, { actions })).status).to.equal(200);
        const ruled = await server.admin('PUT', `/roles/${String(role)}/rules`, rules);
        expect(ruled.status, JSON.stringify(ruled.body)).to.equal(200);
        for (let round = 0; round < queries; round++) {
          const asking = { server, rights, token, draw };
          const type = draw.of(world.types);
          if (type !== undefined) await checkList(type, asking);
          if (type !== undefined) await checkEntry(type, asking);
          if (type !== undefined) await checkGraphql(type, asking);
        }
      });

    it('has met answers of all sorts', () => {
      for (const [sort, least] of Object.entries({
        forbidden: 5,
        refused: 2,
        answered: 10,
        filtered: 2,
        values: 100,
        byGraphql: 100,
      }))
        expect(met[sort as keyof typeof met], sort).to.be.at.least(least); // the keys of a literal
    });

    const pathOf = ({ uid, kind, pluralName, singularName }: ContentType): string =>
      ({ [userUid]: '/api/users', [fileUid]: '/api/upload/files' })[uid] ??
      `/api/${kind === 'singleType' ? singularName : pluralName}`;

    /** The expected ids of a list, computed from the stored entries. */
    const expectedIds = (type: ContentType, filter: Walk | null, rights: Rights): number[] =>
      (world.rows.get(type.uid) ?? [])
        .filter((row) => isShown(rights, type.uid, row) && (filter === null || leadsTo(row, type, filter, rights)))
        .map(({ _id }) => _id);

    async function checkList(type: ContentType, { server: { as }, rights, token, draw }: Asking): Promise<void> {
      const { query, isRefused, filter } = askRest(type, rights, draw);
      const path = `${pathOf(type)}?${qs.stringify({ ...query, ...(type.uid.startsWith('api::') && { pagination: { limit: 50 } }) })}`;
      const { status, body } = await as(token, 'GET', path);
      if (!rights.finds.has(type.uid)) {
        met.forbidden++;
        return void expect(status, path).to.equal(403);
      }
      if (isRefused) {
        met.refused++;
        return void expect(status, path).to.equal(400);
      }
      const ids = expectedIds(type, filter, rights);
      expect(status, `${path} ${JSON.stringify(body)}`).to.equal(type.kind === 'singleType' && ids.length === 0 ? 404 : 200);
      if (status !== 200) return;
      const entries: { id: number }[] = [Array.isArray(body) ? body : body.data].flat();
      expect(entries.map(({ id }) => id).sort(), path).to.deep.equal(ids);
      if (body.meta?.pagination !== undefined) expect(body.meta.pagination.total, path).to.equal(ids.length);
      met.answered++;
      met.filtered += filter === null || ids.length === 0 ? 0 : 1;
      met.values += valuesIn(body, rights).length;
      expect(leaks(body, { type, id: null }, rights), path).to.deep.equal([]);
    }

    async function checkEntry(type: ContentType, { server: { as }, rights, token, draw }: Asking): Promise<void> {
      if (type.kind === 'singleType' || type.uid === fileUid) return;
      const id = 1 + draw.whole(4);
      const isWrite = type.uid !== userUid && draw.chance(0.4);
      const { query, isRefused } = askRest(type, rights, draw);
      const path = `${pathOf(type)}/${String(id)}?${qs.stringify(query)}`;
      const { status, body } = await (isWrite ? as(token, 'PUT', path, { data: {} }) : as(token, 'GET', path));
      const isThere = expectedIds(type, null, rights).includes(id);
      const isGranted = (isWrite ? rights.updates : rights.findsOne).has(type.uid);
      const wanted = !isGranted ? 403 : isRefused ? 400 : isThere ? 200 : type.uid === userUid ? 204 : 404;
      expect(status, `${path} ${JSON.stringify(body)}`).to.equal(wanted);
      if (status === 200) expect(leaks(body, { type, id }, rights), path).to.deep.equal([]);
    }

    async function checkGraphql(type: ContentType, { server: { as }, rights, token, draw }: Asking): Promise<void> {
      if (type.kind === 'singleType') return;
      const { query, filter } = askGraphql(type, rights, draw);
      const { status, body } = await as(token, 'POST', '/graphql', { query });
      expect(status, `${query} ${JSON.stringify(body)}`).to.be.oneOf([200, 400]);
      const mayAsk = rights.finds.has(type.uid) && filter?.mayFilter !== false;
      if (!mayAsk) {
        expect(valuesIn(body.data ?? null, rights), query).to.deep.equal([]);
        return void expect(body.errors, query).to.not.deep.equal(undefined);
      }
      met.byGraphql += valuesIn(body.data ?? null, rights).length;
      expect(leaks(body, { type, id: null }, rights), query).to.deep.equal([]);
      if (body.errors !== undefined) return;
      const entries: { id: string }[] = body.data[findName(type)].data;
      expect(entries.map(({ id }) => Number(id)).sort(), query).to.deep.equal(expectedIds(type, filter, rights));
    }
  });
