import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from './rights/serve-accounts.js';
import { collectionType } from '../support/collection-type.js';
import { createLog, type Log } from '../support/create-log.js';
import type { TestModel } from '../support/serve.js';

const i18n = { pluginOptions: { i18n: { localized: true } } };
const link = (relation: string, target?: string) => ({ type: 'relation', relation, ...(target !== undefined && { target }) });
const tagUid = 'api::tag.tag';
const models: readonly TestModel[] = [
  { uid: 'shared.part', info: {}, attributes: { tags: link('oneToMany', tagUid) } },
  collectionType('tag', { label: { type: 'string' } }),
  collectionType('page', {
    title: { type: 'string' },
    tag: link('oneToOne', tagUid),
    tags: link('manyToMany', tagUid),
    about: link('morphToMany'),
    cover: { type: 'media', multiple: true },
    part: { type: 'component', component: 'shared.part' },
    zone: { type: 'dynamiczone', components: ['shared.part'] },
  }),
  collectionType('text', { title: { type: 'string' } }, i18n),
  {
    uid: 'plugin::users-permissions.user',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { nickname: { type: 'string' }, points: { type: 'integer' } },
  },
];

type Send = (serving: ServingAccounts) => Promise<{ readonly status: number; readonly body: unknown }>;

const keys = new WeakMap<ServingAccounts, Promise<string>>();

/** Returns the key of a token with full access. */
function keyOf(serving: ServingAccounts): Promise<string> {
  const made = async (): Promise<string> =>
    (await serving.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey as string; // as documented
  const key = keys.get(serving) ?? made();
  keys.set(serving, key);
  return key;
}

const as =
  (method: string, path: string, body: object): Send =>
  (serving) =>
    keyOf(serving).then((key) => serving.as(key, method, path, body));
const create = (data: object): Send => as('POST', '/api/pages', { data });
const update = (data: object): Send => as('PUT', '/api/pages/1', { data });
const user = (body: object): Send => as('PUT', '/api/users/1', body);
const form =
  (path: string, fields: Readonly<Record<string, string>>, field?: string): Send =>
  async (serving) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    if (field !== undefined) body.set(field, new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    const response = await fetch(serving.server.url + path, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${await keyOf(serving)}` },
    });
    return { status: response.status, body: await response.json() };
  };
/** A new user each time. */
const register =
  (more: object): Send =>
  (serving) => {
    const name = `u${String(process.hrtime.bigint())}`;
    const body = { username: name, email: `${name}@mail.test`, password: 'Passw0rd!', ...more };
    return serving.as(null, 'POST', '/api/auth/local/register', body);
  };
const newRole = (more: object): Send => {
  return (serving) =>
    as('POST', '/api/users-permissions/roles', { name: `Role ${String(process.hrtime.bigint())}`, ...more })(serving);
};
const zoneInGraphql: Send = as('POST', '/graphql', {
  query: 'mutation ($zone: [PageZoneDynamicZoneInput!]) { createPage(data: { zone: $zone }) { data { id } } }',
  variables: { zone: [{ __component: 'shared.part', tags: { foo: [1] } }] },
});

/** A request that is not carried out completely, the line of the log, and the path of the error in strict mode; null: neither. */
type Case = readonly [what: string, send: Send, line: RegExp | null, path: readonly string[] | null];

const tags = /^tags of api::page\.page has names that are not read: it takes /;
const envelope = /^the body has names that are not read: it takes data; /;
const told: readonly Case[] = [
  ['an unknown name in a relation', create({ tags: { foo: [1] } }), tags, ['tags', 'foo']],
  ['the answer form of a relation', create({ tags: { data: [{ id: 1 }] } }), tags, ['tags', 'data']],
  ['an unknown name beside connect', update({ tags: { connect: [1], foo: 1 } }), tags, ['tags', 'foo']],
  ['connect beside set', update({ tags: { set: [1], connect: [2] } }), tags, ['tags', 'connect']],
  ['an id beside connect', update({ tag: { id: 1, connect: [2] } }), /^tag of api::page/, ['tag', 'id']],
  [
    'an unknown position',
    update({ tags: { connect: [{ id: 1, position: { first: true } }] } }),
    /^a position has names that are not read: it takes before, after, start, end; /,
    ['tags', 'connect', '0', 'position', 'first'],
  ],
  ['an unknown name in files', create({ cover: { foo: 1 } }), /^cover of api::page/, ['cover', 'foo']],
  ['an unknown name in a polymorphic relation', create({ about: { foo: [1] } }), /^about of api::page/, ['about', 'foo']],
  ['one in a component', create({ part: { tags: { foo: [1] } } }), /^tags of shared\.part has/, ['part', 'tags', 'foo']],
  [
    'one in a zone',
    create({ zone: [{ __component: 'shared.part', tags: { foo: [1] } }] }),
    /^tags of shared\.part has/,
    ['zone', '0', 'tags', 'foo'],
  ],
  ['one in a zone over GraphQL', zoneInGraphql, /^tags of shared\.part has/, ['zone', '0', 'tags', 'foo']],
  ['a name beside data', as('POST', '/api/pages', { data: {}, title: 'a' }), envelope, ['title']],
  ['one in an update', as('PUT', '/api/pages/1', { data: {}, locale: 'en' }), envelope, ['locale']],
  ['one in a form', form('/api/pages', { data: '{}', title: 'a' }), envelope, ['title']],
  ['data in data', create({ data: { title: 'a' } }), /^data is not an attribute of api::page/, ['data']],
  [
    'the locale in an update',
    as('PUT', '/api/texts/1', { data: { locale: 'fr' } }),
    /^locale of api::text\.text is not changed by an update; /,
    ['locale'],
  ],
  [
    'the localizations in an update',
    as('PUT', '/api/texts/1', { data: { localizations: [2] } }),
    /^localizations of api::text\.text is not/,
    ['localizations'],
  ],
  ['data around a user', user({ data: { points: 1 } }), /^data is not an attribute of plugin::users-permissions\.user/, ['data']],
  [
    'an id beside connect of a role',
    user({ role: { id: 1, connect: [2] } }),
    /^role of plugin::users-permissions/,
    ['role', 'id'],
  ],
  ['an unknown name in a new role', newRole({ users: [1] }), /^the body of a role has names that are not read/, ['users']],
  ['one in a role', as('PUT', '/api/users-permissions/roles/1', { foo: 1 }), /^the body of a role/, ['foo']],
  [
    'the type of a role',
    as('PUT', '/api/users-permissions/roles/1', { type: 'other' }),
    /^type of a role is not changed by an update; /,
    ['type'],
  ],
  [
    'an unknown name in fileInfo',
    form('/api/upload', { fileInfo: '{"folder":1}' }, 'files'),
    /^fileInfo has names that are not read: it takes name, /,
    ['fileInfo', 'folder'],
  ],
  [
    'one in the change of a file',
    as('POST', '/api/upload?id=1', { fileInfo: { title: 'a' } }),
    /^fileInfo has/,
    ['fileInfo', 'title'],
  ],
  [
    'an attribute that no registration sets',
    register({ confirmed: true }),
    /^confirmed of a user is not set by a registration; remove it/,
    ['confirmed'],
  ],
  [
    'an attribute that is not among allowedFields',
    register({ points: 5, nickname: 'a' }),
    /^points of a user is not set by a registration; list it in register\.allowedFields/,
    ['points'],
  ],
  ['an unknown name in a registration', register({ foo: 1 }), null, ['foo']],
  [
    'what is read',
    update({ tags: { connect: [{ id: 1, position: { end: true } }], options: { strict: false } }, tag: { id: 1, label: 'a' } }),
    null,
    null,
  ],
  [
    'what clients send back with a role',
    as('PUT', '/api/users-permissions/roles/1', { id: 1, name: 'Authenticated', type: 'authenticated', nb_users: 3 }),
    null,
    null,
  ],
  ['an attribute among allowedFields', register({ nickname: 'a' }), null, null],
];

describe('names in a body that are not read', () => {
  let lenient: ServingAccounts;
  let strict: ServingAccounts;
  let log: Log;
  before(async () => {
    log = await createLog();
    const accounts = {
      jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef',
      ratelimit: { enabled: false },
      register: { allowedFields: ['nickname'] },
    };
    const plugins = { 'users-permissions': { config: accounts } };
    lenient = await serveAccounts({ models, logger: log.logger, config: { plugins } });
    strict = await serveAccounts({ models, config: { plugins, api: { rest: { strict: true } } } });
    for (const serving of [lenient, strict]) {
      for (const label of ['a', 'b']) await as('POST', '/api/tags', { data: { label } })(serving);
      for (const path of ['pages', 'texts']) await as('POST', `/api/${path}`, { data: { title: 'a' } })(serving);
      await serving.addUser('first');
      await form('/api/upload', {}, 'files')(serving);
    }
  });
  after(() => Promise.all([lenient.stop(), strict.stop()]));

  const lines = (): string[] => log.lines.filter(({ level }) => level === 40).map(({ msg }) => String(msg));

  for (const [what, send, line, path] of told)
    it(`${what} is ${path === null ? 'accepted' : 'told, and refused in strict mode'}`, async () => {
      const before = lines();
      for (const round of [1, 2]) {
        const { status, body } = await send(lenient);
        expect(status, `${String(round)}: ${JSON.stringify(body)}`).to.be.oneOf([200, 201]);
        expect(body).not.to.have.property('errors');
      }
      if (line === null) expect(lines()).to.deep.equal(before);
      else
        expect(
          lines().filter((one) => line.test(one)),
          lines().join('\n'),
        ).not.to.deep.equal([]);
      const { status, body } = (await send(strict)) as Awaited<ReturnType<ServingAccounts['as']>>;
      const error = body.error ?? body.errors?.[0]?.extensions.error;
      if (path === null) expect([status, error]).to.deep.equal([200, undefined]);
      else expect([error?.name, error?.details.errors[0].path], JSON.stringify(body)).to.deep.equal(['ValidationError', path]);
    });

  it('users cannot connect another role beside the id of their own', async () => {
    const { id, jwt } = await lenient.addUser('climber');
    const permissions = lenient.database.db.collection<{ _id: number }>('up_permissions');
    await permissions.insertOne(Object.assign({ _id: 900 }, { action: 'plugin::users-permissions.user.update', role: 1 }));
    await lenient.settled();
    for (const [role, status] of [
      [{ id: 1 }, 200],
      [{ id: 1, connect: [2] }, 400],
      [{ set: [2] }, 400],
      [{ foo: 2 }, 400],
    ] as const) {
      const answer = await lenient.as(jwt, 'PUT', `/api/users/${String(id)}`, { role });
      expect(answer.status, `${JSON.stringify(role)}: ${JSON.stringify(answer.body)}`).to.equal(status);
    }
  });
});
