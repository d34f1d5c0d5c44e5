import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const model = (name: string) => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s` },
  options: { draftAndPublish: name === 'note' },
  attributes: { title: { type: 'string' } },
});

/** Notes in `globalThis.seen` what code sees of a request, in lifecycles of all types and in listeners of the event hub. */
const index = `
const see = (place) => {
  const { user, auth, route, isAuthenticated, userAbility } = strapi.requestContext.get()?.state ?? {};
  globalThis.seen.push({ place, state: { name: user?.username ?? user?.firstname, role: (user?.role ?? user?.roles?.[0])?.name,
    strategy: auth?.strategy.name, may: auth?.ability.can('plugin::upload.read'), isAuthenticated, hasAbility: userAbility !== undefined,
    ...(userAbility && { cannot: userAbility.cannot?.('plugin::none.none'), secrets: Object.keys(user).filter((key) => /password|token/i.test(key)) }),
    same: auth?.credentials === user, route: route?.handler ?? route?.path, type: route?.info.type } });
};
module.exports = { register({ strapi }) {
  globalThis.projectStrapi = strapi;
  strapi.db.lifecycles.subscribe(({ action }) => see(action));
  for (const name of ['entry.create', 'entry.update', 'entry.publish', 'media.create']) strapi.eventHub.on(name, () => see(name));
} };`;

const routes = (uid: string, config: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('${uid}', ${config});`;

const files = {
  'src/api/note/content-types/note/schema.json': JSON.stringify(model('note')),
  'src/api/note/routes/note.js': routes('api::note.note', '{}'),
  'src/api/open/content-types/open/schema.json': JSON.stringify(model('open')),
  'src/api/open/routes/open.js': routes('api::open.open', '{ config: { create: { auth: false } } }'),
  'src/index.js': index,
};

interface Seen {
  readonly place: string;
  readonly state: object;
}

const form = (): FormData => {
  const body = new FormData();
  body.append('files', new Blob(['text']), 'a.txt');
  return body;
};

const password = 'Secret1';

const unknown = {
  ...{ name: undefined, role: undefined, strategy: 'users-permissions', may: true, isAuthenticated: true, hasAbility: false },
  ...{ same: false, type: 'content-api' },
};
const states = {
  public: unknown,
  nobody: { ...unknown, strategy: undefined, may: undefined, isAuthenticated: undefined, same: true },
  user: { ...unknown, name: 'ann', role: 'Authenticated', same: true },
  token: { ...unknown, strategy: 'api-token' },
  super: {
    ...{ name: 'super', role: 'Super Admin', strategy: 'admin', may: true, isAuthenticated: true, hasAbility: true, same: true },
    ...{ cannot: true, secrets: [], type: 'admin' },
  },
};

type Caller = keyof typeof states;
type Case = readonly [as: Caller, request: string, body: unknown, route: string | undefined, places: readonly string[]];

const create = ['beforeCreate', 'afterCreate', 'entry.create'];
const update = ['beforeUpdate', 'afterUpdate', 'entry.update'];
const note = '/content-manager/collection-types/api::note.note';
const ofNote = 'api::note.note';

/** Requests, and where code must see who sends them to which route. */
const cases: readonly Case[] = [
  ['user', 'POST /api/notes', { data: { title: 'two', publishedAt: null } }, `${ofNote}.create`, create],
  ['user', 'GET /api/notes', undefined, `${ofNote}.find`, ['beforeFindMany', 'afterFindMany']],
  ['user', 'GET /api/notes/1', undefined, `${ofNote}.findOne`, ['beforeFindOne', 'afterFindOne']],
  ['user', 'PUT /api/notes/1', { data: { publishedAt: '2020-01-01' } }, `${ofNote}.update`, [...update, 'entry.publish']],
  ['user', 'DELETE /api/notes/2', undefined, `${ofNote}.delete`, ['beforeDelete', 'afterDelete']],
  ['user', 'POST /api/upload', form(), 'content-api.upload', [...create, 'media.create']],
  ['user', 'POST /api/upload?id=1', { fileInfo: { caption: 'c' } }, 'content-api.upload', update],
  ['user', 'PUT /api/users/1', { username: 'ann' }, 'user.update', update],
  ['user', 'GET /api/users', undefined, 'user.find', ['afterFindMany']],
  ['user', 'POST /api/users', { username: 'bob', email: 'bob@mail.test', password, role: 1 }, 'user.create', create],
  ['public', 'POST /api/auth/local/register', { username: 'cyd', email: 'cyd@mail.test', password }, 'auth.register', create],
  ['public', 'POST /api/notes', { data: { title: 'three' } }, `${ofNote}.create`, create],
  ['user', 'POST /graphql', { query: 'mutation { createNote(data: { title: "g" }) { data { id } } }' }, undefined, create],
  ['nobody', 'POST /api/opens', { data: { title: 'one' } }, 'api::open.open.create', create],
  ['token', 'POST /api/notes', { data: { title: 'four' } }, `${ofNote}.create`, create],
  ['super', `POST ${note}`, { title: 'five' }, 'collection-types.create', create],
  ['super', `GET ${note}`, undefined, 'collection-types.find', ['afterFindMany']],
  ['super', `PUT ${note}/1`, { title: 'six' }, 'collection-types.update', update],
  ['super', `POST ${note}/1/actions/unpublish`, undefined, 'collection-types.unpublish', update],
  ['super', `POST ${note}/1/actions/publish`, undefined, 'collection-types.publish', [...update, 'entry.publish']],
  [
    'super',
    `POST ${note}/actions/bulkDelete`,
    { ids: [1] },
    'collection-types.bulkDelete',
    ['beforeDeleteMany', 'afterDeleteMany'],
  ],
  ['super', 'POST /upload', form(), '', [...create, 'media.create']],
  ['super', 'POST /admin/users', { email: 'd@mail.test', firstname: 'd', roles: [1] }, '/users', []],
];

describe('the state of a request in code that is called for it', () => {
  let serving: ServedProject;
  let panel: PanelSender;
  const tokens: Partial<Record<Caller, string>> = {};

  const send = async (as: Caller, method: string, path: string, body: unknown): Promise<void> => {
    if (as === 'super' && !(body instanceof FormData)) {
      const answer = await panel(as, method, path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 201);
      return;
    }
    const isForm = body instanceof FormData;
    const token = tokens[as];
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(!isForm && { 'content-type': 'application/json' }),
    };
    const sent = isForm ? body : body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(`${serving.server.url}${path}`, { method, headers, body: sent });
    expect(answer.status, await answer.text()).to.be.within(200, 201);
  };

  before(async () => {
    Object.assign(globalThis, { seen: [] });
    const config = {
      admin: { enabled: true, token: 'secret-token-of-the-admin' },
      plugins: { graphql: { enabled: true } },
    } as const;
    const models = ['note', 'open'].map((name) => ({ uid: `api::${name}.${name}`, ...model(name) }));
    serving = await serveProject(files, { models, config });
    panel = await openAdministrators(serving, {});
    const data = { username: 'ann', email: 'ann@mail.test', password, provider: 'local', confirmed: true, role: 1 };
    const { id } = await serving.strapi.plugin('users-permissions').service('user').add(data);
    tokens.user = String(serving.strapi.plugin('users-permissions').service('jwt').issue({ id }));
    const token = await panel('super', 'POST', '/admin/api-tokens', {
      name: 't',
      description: '',
      type: 'full-access',
      lifespan: null,
    });
    tokens.token = String(token.body.data.accessKey);
    const login = await panel('super', 'POST', '/admin/login', { email: 'super@test.test', password: 'Password1' });
    tokens.super = String(login.body.data.token);
    await serving.strapi.entityService.create('api::note.note', { data: { title: 'one' } });
  });
  after(() => serving.stop());

  for (const [as, request, body, route, places] of cases)
    it(`is that of ${as} in ${request}`, async () => {
      const [method = '', path = ''] = request.split(' ');
      Object.assign(globalThis, { seen: [] });
      await send(as, method, path, body);
      const seen = Reflect.get(globalThis, 'seen') as readonly Seen[];
      expect(seen.map(({ place }) => place)).to.include.members(places);
      for (const { place, state } of seen) expect(state, place).to.deep.equal({ ...states[as], route });
    });
});
