import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';
import type { ProjectFiles } from '../support/write-project.js';

const folder = 'src/plugins/ctl';

const note: TestModel = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string' }, secret: { type: 'string' } },
};

const files: ProjectFiles = {
  'config/plugins.js': `module.exports = { ctl: { resolve: './${folder}' }, listed: { resolve: './src/plugins/listed' } };`,
  'src/api/note/routes/note.js': `const { factories } = require('@strapi/strapi');
    module.exports = factories.createCoreRouter('api::note.note');`,
  'src/api/note/routes/own.js': `module.exports = { type: 'admin', routes: [
    { method: 'GET', path: '/notes-of-api', handler: 'note.find', config: { auth: false } }] };`,
  [`${folder}/strapi-server.js`]: `
    const actions = [
      { section: 'plugins', displayName: 'Read', uid: 'read', pluginName: 'ctl' },
      { section: 'plugins', displayName: 'Write', uid: 'items.write', subCategory: 'items', pluginName: 'ctl' },
      { section: 'settings', displayName: 'Set', uid: 'set', category: 'Ctl', pluginName: 'ctl' },
      { section: 'internal', displayName: 'Own', uid: 'own', pluginName: 'ctl' },
      { section: 'contentTypes', displayName: 'Review', uid: 'review', subjects: ['api::note.note'], pluginName: 'ctl',
        options: { applyToProperties: ['fields'] } },
    ];
    const get = (path, handler, config = {}) => ({ method: 'GET', path, handler: 'ctl.' + handler, config });
    const needs = (...actions) => ({ policies: [{ name: 'admin::hasPermissions', config: { actions } }] });
    const note = 'api::note.note';
    module.exports = {
      async bootstrap({ strapi }) {
        const { actionProvider } = strapi.admin.services.permission;
        await actionProvider.registerMany(actions);
        const refused = await Promise.all([{ uid: 'Bad Name' }, { ...actions[0] }, { ...actions[2], uid: 'other', category: undefined }]
          .map((action) => actionProvider.register(action).catch((error) => error.message)));
        globalThis.refusedActions = refused;
      },
      policies: { mine: (ctx) => ctx.state.user.email.startsWith('super') },
      controllers: { ctl: ({ strapi }) => ({
        hi: (ctx) => ({ user: ctx.state.user, keys: Object.keys(ctx.state.user).sort(), info: ctx.state.route.info,
          isAuthenticated: ctx.state.isAuthenticated, strategy: ctx.state.auth.strategy.name }),
        open: (ctx) => ({ user: ctx.state.user ?? null }),
        echo: (ctx) => ({ body: ctx.request.body, id: ctx.params.id, files: Object.keys(ctx.request.files ?? {}) }),
        can: (ctx) => {
          const { userAbility: ability } = ctx.state;
          const { can, cannot } = strapi.plugin('content-manager').service('permission-checker').create({ userAbility: ability, model: note });
          const manager = strapi.admin.services.permission.createPermissionsManager({ ability, action: 'plugin::content-manager.explorer.update', model: note });
          const own = manager.toSubject({ title: 'a', createdBy: { id: ctx.state.user.id } });
          return { read: ability.can('plugin::ctl.read'), cannotRead: ability.cannot('plugin::ctl.read'), none: ability.can('plugin::ctl.none'),
            readNote: can.read(), createNote: can.create(), cannotCreate: cannot.create(), title: can.read(undefined, 'title'),
            secret: can.read(undefined, 'secret'), own: can.update({ createdBy: { id: ctx.state.user.id } }),
            foreign: can.update({ createdBy: { id: 999 } }), subject: ability.can(manager.action, own), isAllowed: manager.isAllowed };
        },
        engine: async (ctx) => {
          const { engine } = strapi.admin.services.permission;
          const ability = await engine.generateUserAbility(ctx.state.user);
          return engine.checkMany(ability)([{ action: 'plugin::ctl.read' }, { action: 'plugin::ctl.own' }]);
        },
      }) },
      routes: {
        admin: { type: 'admin', routes: [
          get('/hi', 'hi'), get('/open', 'open', { auth: false }), get('/authenticated', 'hi', { policies: ['admin::isAuthenticatedAdmin'] }),
          get('/read', 'open', needs('plugin::ctl.read')), get('/both', 'open', needs('plugin::ctl.read', { action: 'plugin::ctl.items.write' })),
          get('/subject', 'open', needs(['plugin::content-manager.explorer.read', note])),
          get('/unauthenticated', 'open', { auth: false, policies: ['admin::isAuthenticatedAdmin'] }),
          get('/unable', 'open', { auth: false, ...needs('plugin::ctl.read') }),
          get('/unlisted', 'open', { auth: false, policies: [{ name: 'admin::hasPermissions', config: { actions: 'plugin::ctl.read' } }] }),
          get('/bare', 'open', { policies: ['admin::hasPermissions'] }),
          get('/of/:model', 'open', { policies: [{ name: 'plugin::content-manager.hasPermissions', config: { actions: ['plugin::content-manager.explorer.read'] } }] }),
          get('/mine', 'open', { policies: ['mine'] }), get('/can', 'can'), get('/engine', 'engine'),
          { method: 'POST', path: '/items/:id', handler: 'ctl.echo' },
          get('/admin/users', 'open', { prefix: '' }),
        ] },
        'content-api': { type: 'content-api', routes: [get('/hi', 'open')] },
        untyped: { routes: [get('/untyped', 'open')] },
      },
    };`,
  'src/plugins/listed/strapi-server.js': `module.exports = { controllers: { tool: { hi: () => ({ hi: true }) } },
    routes: [{ method: 'GET', path: '/', handler: 'tool.hi' }, { method: 'GET', path: '/hi', handler: 'tool.hi' }] };`,
  'src/index.js': `module.exports = { register({ strapi }) {
    globalThis.projectStrapi = strapi;
    strapi.server.routes({ type: 'admin', prefix: '/own', routes: [{ method: 'GET', path: '/hi', handler: (ctx) => ({ id: ctx.state.user.id }) }] });
  } };`,
};

const content = 'api::note.note';

/** What the role `reader` has. */
const reader = [
  { action: 'plugin::ctl.read' },
  { action: 'read', subject: content, fields: ['title'] },
  { action: 'update', subject: content, fields: ['title'], conditions: ['admin::is-creator'] },
] as const;

describe('routes of plugins for administrators', () => {
  let serving: ServedProject;
  let send: PanelSender;
  before(async () => {
    serving = await serveProject(files, { models: [note], config: { admin: { rateLimit: { enabled: false } } } });
    send = await openAdministrators(serving, { reader: [reader], nothing: [[]] });
  });
  after(() => serving.stop());

  const statuses: readonly (readonly [as: string, path: string, status: number])[] = [
    ['super', '/ctl/hi', 200],
    ['', '/ctl/hi', 401],
    ['', '/ctl/items/5', 404],
    ['', '/ctl/open', 200],
    ['nothing', '/ctl/hi', 200],
    ['nothing', '/ctl/authenticated', 200],
    ['', '/ctl/authenticated', 401],
    ['', '/ctl/unauthenticated', 403],
    ['', '/ctl/unable', 403],
    ['', '/ctl/unlisted', 500],
    ['super', '/ctl/bare', 500],
    ['super', '/ctl/read', 200],
    ['reader', '/ctl/read', 200],
    ['nothing', '/ctl/read', 403],
    ['', '/ctl/read', 401],
    ['super', '/ctl/both', 200],
    ['reader', '/ctl/both', 403],
    ['reader', '/ctl/subject', 200],
    ['nothing', '/ctl/subject', 403],
    ['reader', `/ctl/of/${content}`, 200],
    ['nothing', `/ctl/of/${content}`, 403],
    ['super', '/ctl/mine', 200],
    ['reader', '/ctl/mine', 403],
    ['super', '/ctl/untyped', 200],
    ['', '/ctl/untyped', 401],
    ['super', '/listed/hi', 200],
    ['super', '/listed', 200],
    ['super', '/listed/', 200],
    ['', '/listed/hi', 401],
    ['super', '/own/hi', 200],
    ['', '/own/hi', 401],
    ['super', '/api/ctl/of/x', 404],
    ['', '/notes-of-api', 404],
    ['', '/api/notes-of-api', 200],
    ['super', '/ctl/none', 404],
  ];
  for (const [as, path, status] of statuses)
    it(`GET ${path} of ${as || 'nobody'}: ${String(status)}`, async () => {
      expect((await send(as, 'GET', path)).status).to.equal(status);
    });

  it('are told the administrator, without the hash of the password', async () => {
    const { user, keys, ...rest } = (await send('super', 'GET', '/ctl/hi')).body;
    expect(user).to.include({ id: 1, email: 'super@test.test', isActive: true });
    expect(user.roles.map((role: { code: string }) => role.code)).to.deep.equal(['strapi-super-admin']);
    expect(keys).not.to.include.members(['password']);
    expect(rest).to.deep.equal({ info: { type: 'admin', pluginName: 'ctl' }, isAuthenticated: true, strategy: 'admin' });
  });

  it('answer a request without a token as Strapi v4', async () => {
    const error = { status: 401, name: 'UnauthorizedError', message: 'Missing or invalid credentials', details: {} };
    expect((await send('', 'GET', '/ctl/hi')).body).to.deep.equal({ data: null, error });
  });

  it('take bodies and parameters', async () => {
    expect((await send('reader', 'POST', '/ctl/items/5', { a: [1] })).body).to.deep.equal({
      body: { a: [1] },
      id: '5',
      files: [],
    });
  });

  it('leave a record of each change in the audit log, without secrets', async () => {
    const audit = serving.database.db.collection('_audit');
    const before = await audit.countDocuments();
    await send('super', 'GET', '/ctl/hi');
    await send('', 'POST', '/ctl/items/6', {});
    await send('reader', 'POST', '/ctl/items/6', { a: 1, password: 'Passw0rd' });
    const [record] = await audit.find().sort({ _id: -1 }).toArray();
    expect(await audit.countDocuments()).to.equal(before + 1);
    const made = { kind: 'administrator', who: 'reader@test.test', what: 'POST /ctl/items/6', status: 200, changed: true };
    expect(record).to.deep.include({ ...made, body: { a: 1, password: '***' } });
  });

  it('do not take the place of routes of the panel', async () => {
    expect((await send('super', 'GET', '/admin/users')).body.data.results).to.have.length(3);
  });

  const all = { read: true, cannotRead: false, none: false, readNote: true, createNote: true, cannotCreate: false };
  const abilities = {
    super: { ...all, title: true, secret: true, own: true, foreign: true, subject: true, isAllowed: true },
    reader: {
      ...{ ...all, createNote: false, cannotCreate: true, title: true, secret: false },
      ...{ own: true, foreign: false, subject: true, isAllowed: true },
    },
    nothing: {
      ...{ read: false, cannotRead: true, none: false, readNote: false, createNote: false, cannotCreate: true },
      ...{ title: false, secret: false, own: false, foreign: false, subject: false, isAllowed: false },
    },
  };
  for (const [as, expected] of Object.entries(abilities))
    it(`know what ${as} may do`, async () => {
      expect((await send(as, 'GET', '/ctl/can')).body).to.deep.equal(expected);
    });
  for (const [as, expected] of [
    ['super', [true, true]],
    ['reader', [true, false]],
    ['nothing', [false, false]],
  ] as const)
    it(`compute what ${as} may do`, async () => {
      expect((await send(as, 'GET', '/ctl/engine')).body).to.deep.equal(expected);
    });

  it('register actions, which pages of roles list', async () => {
    const { sections } = (await send('super', 'GET', '/admin/permissions')).body.data;
    const ofPlugin = (list: readonly { readonly action: string }[]) =>
      list.filter(({ action }) => action.startsWith('plugin::ctl.'));
    expect(ofPlugin(sections.plugins)).to.deep.equal([
      { displayName: 'Read', action: 'plugin::ctl.read', subCategory: 'general', plugin: 'ctl' },
      { displayName: 'Write', action: 'plugin::ctl.items.write', subCategory: 'items', plugin: 'ctl' },
    ]);
    expect(ofPlugin(sections.settings)).to.deep.equal([
      { displayName: 'Set', action: 'plugin::ctl.set', subCategory: 'general', category: 'Ctl' },
    ]);
    expect(sections.collectionTypes.actions.at(-1)).to.deep.equal({
      ...{ label: 'Review', actionId: 'plugin::ctl.review', subjects: [content], applyToProperties: ['fields'] },
    });
  });

  it('register actions that super admins have', async () => {
    const { data } = (await send('super', 'GET', '/admin/users/me/permissions')).body;
    const own = data.filter(({ action }: { action: string }) => action.startsWith('plugin::ctl.'));
    expect(own.map(({ action, subject }: { action: string; subject: string | null }) => [action, subject])).to.have.deep.members([
      ['plugin::ctl.read', null],
      ['plugin::ctl.items.write', null],
      ['plugin::ctl.set', null],
      ['plugin::ctl.own', null],
      ['plugin::ctl.review', content],
    ]);
  });

  it('refuse actions that are invalid or registered already', () => {
    expect(Reflect.get(globalThis, 'refusedActions')).to.deep.equal([
      'uid: The id can only contain lowercase letters, dots and hyphens.',
      'Duplicated item key: plugin::ctl.read',
      'category is a required field',
    ]);
  });

  for (const [action, status] of [
    ['plugin::ctl.items.write', 200],
    ['plugin::ctl.own', 400],
    ['plugin::ctl.none', 400],
  ] as const)
    it(`${status === 200 ? 'let' : 'do not let'} a role have ${action}`, async () => {
      const role = (await send('super', 'POST', '/admin/roles', { name: action })).body.data.id;
      const permissions = [{ action, subject: null, properties: {}, conditions: [] }];
      expect((await send('super', 'PUT', `/admin/roles/${String(role)}/permissions`, { permissions })).status).to.equal(status);
    });

  it('let a role keep an action that nobody registers any more', async () => {
    const role = Number((await send('super', 'POST', '/admin/roles', { name: 'former' })).body.data.id);
    const former = { action: 'plugin::former.read', subject: null, properties: {}, conditions: [] };
    await serving.database.db.collection('admin_permissions').insertOne({ _id: 9_999 as never, role, ...former });
    const path = `/admin/roles/${String(role)}/permissions`;
    expect((await send('super', 'GET', path)).body.data).to.have.length(1);
    const { status, body } = await send('super', 'PUT', path, { permissions: [former] });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await send('super', 'GET', path)).body.data).to.have.length(1);
  });

  it('are no actions that roles of users can be granted', async () => {
    const { permissions } = (await send('super', 'GET', '/users-permissions/permissions')).body;
    expect(permissions['plugin::ctl'].controllers).to.deep.equal({ ctl: { open: { enabled: false, policy: '' } } });
  });
});

describe('what code of plugins reads of strapi', () => {
  let serving: ServedProject;
  before(async () => void (serving = await serveProject(files, { models: [note] })));
  after(() => serving.stop());

  const reads: readonly (readonly [title: string, read: (strapi: ServedProject['strapi']) => unknown, expected: unknown])[] = [
    [
      'a member that it has added to a plugin',
      (strapi) => {
        strapi.plugin('ctl').types = [1];
        return strapi.plugin('ctl').types;
      },
      [1],
    ],
    [
      'the models of the database',
      ({ db }) => db.config.models.find((model: { uid: string }) => model.uid === content).tableName,
      'notes',
    ],
    ['the kind of the database', ({ db }) => db.config.connection.client, 'mongodb'],
    ['the environment', ({ server }) => typeof server.app.env, 'string'],
    ['the events of webhooks', (strapi) => strapi.webhookRunner.eventHub === strapi.eventHub, true],
    ['a reload, which does nothing', (strapi) => strapi.reload(), undefined],
  ];
  for (const [title, read, expected] of reads)
    it(title, () => {
      expect(read(serving.strapi)).to.deep.equal(expected);
    });
});

describe('routes of plugins for administrators, without the panel', () => {
  let serving: ServedProject;
  before(async () => void (serving = await serveProject(files, { models: [note], config: { admin: { enabled: false } } })));
  after(() => serving.stop());

  it('are not served', async () => {
    expect((await serving.call('GET', '/ctl/open')).status).to.equal(404);
  });
});
