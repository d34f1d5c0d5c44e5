import { inspect } from 'node:util';
import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Prefixes of a route whose router has the prefix `/router`, and the paths that it then has. */
const prefixes: readonly (readonly [config: string, path: string])[] = [
  ['{ prefix: false }', '/api/a'],
  ['{ prefix: null }', '/api/b'],
  ["{ prefix: '' }", '/api/c'],
  ["{ prefix: '/own' }", '/api/d'],
  ['{}', '/api/router/e'],
];

const routes = prefixes.map(
  ([config, path]) =>
    `{ method: 'GET', path: '/${path.at(-1) ?? ''}', handler: () => ({ own: true }), config: { auth: false, ...${config} } }`,
);

describe('members of plugins and routes', () => {
  let serving: ServedProject;
  let log: Log;
  before(async () => {
    log = await createLog();
    const router = `module.exports = { prefix: '/router', routes: [${routes.join(', ')}] };`;
    const allow = 'module.exports = () => true;';
    const upload = `module.exports = (plugin) => {
      const given = plugin.services.upload;
      plugin.services.upload = (input) => ({ ...given(input), own() { return this.uploadImage(); } });
      return plugin;
    };`;
    const policy = "module.exports = (ctx) => ctx.type === 'koa' && ctx.is('koa');";
    const guarded =
      "module.exports = { routes: [{ method: 'GET', path: '/guarded', handler: () => 'passed', config: { auth: false, policies: ['global::koa'] } }] };";
    const files = {
      'src/extensions/upload/strapi-server.js': upload,
      'src/policies/koa.js': policy,
      'src/api/page/routes/guarded.js': guarded,
      'src/api/page/routes/page.js': router,
      'src/policies/allow.js': allow,
      'src/middlewares/pass.js': allow,
    };
    serving = await serveProject(files, { models: [], logger: log.logger });
  });
  after(() => serving.stop());

  for (const [config, path] of prefixes)
    it(`a route with ${config} is at ${path}`, async () => {
      expect(await serving.call('GET', path)).to.deep.equal({ status: 200, body: { own: true } });
    });

  it('a service of an extension names the members that it lacks', () => {
    const service = serving.strapi.plugin('upload').service('upload');
    expect(service.findOne).to.be.a('function');
    expect(() => service.own() as unknown).to.throw("strapi.plugin('upload').service('upload').uploadImage is not offered");
    expect(() => serving.strapi.service('plugin::upload.upload').own() as unknown).to.throw('uploadImage is not offered');
  });

  it('the service of roles returns actions as the routes of roles do', async () => {
    const roles = serving.strapi.plugin('users-permissions').service('role');
    await roles.createRole({
      ...{ name: 'Reader', description: 'reads', type: 'reader' },
      permissions: {
        'plugin::users-permissions': { controllers: { user: { me: { enabled: true }, find: { enabled: false } } } },
      },
    });
    const [{ id }] = (await roles.find()).filter(({ type }: { readonly type: string }) => type === 'reader');
    const { name, permissions } = await roles.findOne(id);
    expect(name).to.equal('Reader');
    const { user } = permissions['plugin::users-permissions'].controllers;
    expect(user.me).to.deep.equal({ enabled: true, policy: '' });
    expect(user.find).to.deep.equal({ enabled: false, policy: '' });
    const missing = await roles.findOne(999).catch((error: unknown) => error);
    expect(missing).to.include({ name: 'NotFoundError', message: 'Role not found' });
    expect(await roles.getRole(id)).to.deep.equal(await roles.findOne(id)); // the names up to v4.1
    expect(await roles.getRoles()).to.deep.equal(await roles.find());
  });

  it('the services of permissions and roles read and change what users may do', async () => {
    const service = (name: string) => serving.strapi.plugin('users-permissions').service(name);
    const action = 'plugin::users-permissions.user.find';
    await serving.strapi.query('plugin::users-permissions.permission').create({ data: { action, role: 2 } });
    const actionsOf = (permissions: readonly { readonly action: string }[]) => permissions.map((one) => one.action);
    expect(actionsOf(await service('permission').findRolePermissions(2))).to.include(action);
    expect(actionsOf(await service('permission').findPublicPermissions())).to.include(action);
    expect(service('permission').toContentAPIPermission({ action, id: 1 })).to.deep.equal({ action });
    const { id } = await service('user').add({
      username: 'moved',
      email: 'moved@example.org',
      password: 'secret-of-moved',
      role: 1,
    });
    await service('users-permissions').updateUserRole({ id }, 2);
    expect((await service('user').fetch(id, { populate: ['role'] })).role.id).to.equal(2);
  });

  it('the store of settings takes an empty address as none', async () => {
    const store = serving.strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' });
    await store.set({ value: { ...(await store.get()), email_confirmation_redirection: '' } });
    expect((await store.get()).email_confirmation_redirection).to.equal(null);
  });

  it('the service of e-mails names what a template lacks', async () => {
    const sent: Promise<unknown> = serving.strapi
      .plugin('email')
      .service('email')
      .sendTemplatedEmail({ to: 'ann@example.org' }, { subject: 'Hi' });
    const error: unknown = await sent.catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'Following attributes are missing from your email template : text, html');
  });

  it('the service of e-mails refuses a template with code', async () => {
    const template = { subject: 'Hi', text: '<%= user.name %> <% if (user.name) { %>!<% } %>', html: '<%- user.name %>' };
    const sent: Promise<unknown> = serving.strapi
      .plugin('email')
      .service('email')
      .sendTemplatedEmail({ to: 'ann@example.org' }, template, { user: { name: '<% %>' } });
    const error: unknown = await sent.catch((caught: unknown) => caught);
    expect(error).to.have.property('message').that.includes('the code <% if (user.name) { %> of an e-mail template is not run');
  });

  it('the service of users takes a condition in the place of an id, as up to v4.1', async () => {
    const users = serving.strapi.plugin('users-permissions').service('user');
    const { id } = await users.add({ username: 'old', email: 'old@example.org', password: 'secret-of-old', provider: 'local' });
    expect(await users.edit({ id }, { username: 'older' })).to.include({ id, username: 'older' });
    expect(await users.fetch({ email: 'old@example.org' }, ['role'])).to.include({ id, username: 'older', role: null });
    expect(await users.fetch({ email: 'nobody@example.org' })).to.equal(null);
    await users.remove({ id });
  });

  it('names that nobody has are undefined', () => {
    const { strapi } = serving;
    for (const value of [
      strapi.plugin('nope'),
      strapi.plugins.nope,
      strapi.plugins.documentation,
      strapi.contentType('api::nope.nope'),
      strapi.policy('nope'),
      strapi.middleware('nope'),
      strapi.plugin('upload').service('nope'),
      strapi.service('plugin::upload.nope'),
    ])
      expect(value).to.equal(undefined);
    expect(strapi.policy('allow')()).to.equal(true);
  });

  it('a service of a plugin that only Strapi has is named', () => {
    expect(() => serving.strapi.plugin('i18n').service('permissions') as unknown).to.throw('is not offered');
    expect(() => serving.strapi.service('plugin::upload.extensions') as unknown).to.throw('is not offered');
  });

  it('a method of strapi.entityService that code replaces is named', () => {
    const { findMany } = serving.strapi.entityService;
    for (let time = 0; time < 2; time++) serving.strapi.entityService.findMany = findMany;
    serving.strapi.entityService.own = 1;
    const told = log.lines.filter(({ msg }) => String(msg).startsWith('strapi.entityService.'));
    expect(told.map(({ msg }) => String(msg).split(':')[0])).to.deep.equal([
      'strapi.entityService.findMany is replaced only for code, because requests and generated services do not call it',
    ]);
  });

  it('the context of a policy has the type koa', async () => {
    expect(await serving.call('GET', '/api/guarded')).to.deep.equal({ status: 200, body: 'passed' });
  });

  it('policies and middlewares are listed by their names', () => {
    const names = Object.keys(serving.strapi.policies);
    expect(names.filter((name) => name.startsWith('global::'))).to.deep.equal(['global::allow', 'global::koa']);
    expect(names).to.include.members(['admin::isAuthenticatedAdmin', 'admin::hasPermissions']);
    expect(Object.keys(serving.strapi.middlewares)).to.deep.equal(['global::pass']);
    expect(serving.strapi.policies['global::allow']).to.equal(serving.strapi.policy('global::allow'));
  });

  it('named code is shown by the console, and cannot be assigned', () => {
    const { policies, plugins } = serving.strapi;
    expect(inspect(policies)).to.match(/'global::allow': .*'global::koa': /s);
    expect(inspect(plugins.upload.services)).to.include('upload:');
    const message = 'global::new cannot be assigned here';
    expect(() => Object.assign(policies, { 'global::new': () => true })).to.throw(TypeError, message);
    expect(() => Object.defineProperty(policies, 'global::new', { value: () => true })).to.throw(TypeError, message);
    expect(policies['global::new']).to.equal(undefined);
  });

  for (const [given, level] of [
    [['error', 'logged'], 50],
    [['http', 'logged'], 30],
    [[{ level: 'warn', message: 'logged', part: 1 }], 40],
    [['unknown', 'logged'], 30],
  ] as const)
    it(`strapi.log.log(${JSON.stringify(given)}) has the level ${String(level)}`, () => {
      serving.strapi.log.log(...given);
      expect(log.lines.at(-1)).to.include({ msg: 'logged', level });
    });

  const failure = Object.assign(new TypeError('no luck'), { config: { headers: { authorization: 'secret' } } });
  for (const [parts, msg] of [
    [['Not sent:', failure], 'Not sent: no luck'],
    [['Not sent', 3, 'times', true, undefined, failure], 'Not sent 3 times true no luck'],
    [['Not sent:', { message: 'no luck', code: 5 }], 'Not sent: no luck'],
    [['Sent', { to: 'ann' }], 'Sent'],
    [['%s of %d', 'a', 2], 'a of 2'],
    [['100% done'], '100% done'],
    [[failure], 'no luck'],
    [[{ to: 'ann' }, 'Sent'], 'Sent'],
  ] as const)
    it(`strapi.log.error(${parts.map(String).join(', ')}) says ${msg}`, () => {
      serving.strapi.log.error(...parts);
      expect(log.lines.at(-1)).to.include({ msg, level: 50 });
      if (parts.length > 1) expect(JSON.stringify(log.lines.at(-1))).not.to.include('secret');
    });

  it('strapi.log has the stack of an error after a text', () => {
    serving.strapi.log.warn('Not sent:', failure);
    expect(log.lines.at(-1)).to.have.nested.property('err.stack', failure.stack);
  });

  it('the provider of e-mails sends', () => {
    expect(serving.strapi.plugin('email').provider.send).to.be.a('function');
    expect(serving.strapi.plugins.email.provider.send).to.equal(serving.strapi.plugins.email.services.email.send);
  });

  for (const [plugin, member] of [
    ['email', 'routes'],
    ['i18n', 'routes'],
    ['upload', 'policies'],
    ['users-permissions', 'middlewares'],
  ] as const)
    it(`strapi.plugin('${plugin}').${member} is named as missing`, () => {
      expect(() => serving.strapi.plugin(plugin)[member] as unknown).to.throw(
        `strapi.plugin('${plugin}').${member} is not offered`,
      );
    });
});
