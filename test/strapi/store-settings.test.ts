import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const template = (object: string) => ({
  options: { from: { name: 'Us', email: 'us@mail.test' }, response_email: '', object, message: '<%= URL %>' },
});

/** Values that code stores under keys of users and permissions, and the settings of the service afterwards; or the error. */
const written: readonly (readonly [key: string, value: object, settings: object | string])[] = [
  ['advanced', { allow_register: false }, { advanced: { allow_register: false, default_role: 'authenticated' } }],
  ['advanced', { allow_register: true, other: 1 }, { advanced: { allow_register: true } }],
  ['advanced', { email_confirmation: 'yes' }, 'email_confirmation must be a boolean'],
  ['advanced', { default_role: 1 }, 'default_role must be a string'],
  ['advanced', { email_reset_password: 'x' }, 'email_reset_password must be a web address, or null'],
  ['email', { reset_password: template('New') }, { templates: { reset_password: template('New').options } }],
  ['email', { reset_password: template('<%= NO %>') }, 'reset_password names NO, which there is not'],
  ['email', { reset_password: template('<% exit() %>') }, 'reset_password names <% exit(), which there is not'],
  ['email', { reset_password: { options: {} } }, 'reset_password needs options with from, response_email, object and message'],
];

describe('settings in strapi.store', () => {
  let serving: ServedProject;
  let log: Log;
  const store = () => serving.strapi.store({ type: 'plugin', name: 'users-permissions' });
  before(async () => {
    log = await createLog();
    serving = await serveProject({}, { models: [], logger: log.logger });
  });
  after(() => serving.stop());

  for (const [key, value, settings] of written)
    it(`${key} ${JSON.stringify(value)}: ${JSON.stringify(settings)}`, async () => {
      const before = await serving.database.db.collection('_settings').find().toArray();
      const error: unknown = await store()
        .set({ key, value })
        .then(
          () => null,
          (caught: Error) => caught.message,
        );
      const after = await serving.database.db.collection('_settings').find().toArray();
      if (typeof settings === 'string') expect([error, after]).to.deep.equal([settings, before]);
      else for (const [name, part] of Object.entries(settings)) expect(after[0]?.[name]).to.deep.include(part);
      expect(await serving.strapi.store.get({ type: 'plugin', name: 'users-permissions', key })).to.be.an('object');
    });

  it('decide about registrations at once', async () => {
    const user = (name: string) => ({ username: name, email: `${name}@mail.test`, password: 'Passw0rd!' });
    expect((await serving.call('POST', '/api/auth/local/register', user('ann'))).status).to.equal(200);
    await store().set({ key: 'advanced', value: { ...(await store().get({ key: 'advanced' })), allow_register: false } });
    expect((await serving.call('POST', '/api/auth/local/register', user('bob'))).status).to.equal(400);
  });

  it('have the form of Strapi v4', async () => {
    const { reset_password: reset } = await store().get({ key: 'email' });
    expect(reset).to.have.all.keys('display', 'icon', 'options');
    expect(reset.options).to.have.all.keys('from', 'response_email', 'object', 'message');
    expect(await serving.strapi.store({ type: 'plugin', name: 'i18n', key: 'default_locale' }).get()).to.equal('en');
    const upload = serving.strapi.store({ type: 'plugin', name: 'upload' });
    const choices = { sizeOptimization: true, responsiveDimensions: true, autoOrientation: false };
    expect(await upload.get({ key: 'settings' })).to.deep.equal(choices);
    await upload.set({ key: 'settings', value: { responsiveDimensions: false } });
    expect(await upload.get({ key: 'settings' })).to.deep.equal({ ...choices, responsiveDimensions: false });
    expect(await upload.get({ key: 'view_configuration' })).to.deep.equal({ pageSize: 10, sort: 'createdAt:DESC' });
  });

  it('keep what plugins add to templates', async () => {
    const { reset_password: reset, ...others } = await store().get({ key: 'email' });
    const changed = { ...reset, design: { rows: [1] }, options: { ...reset.options, object: 'A new one' } };
    await store().set({ key: 'email', value: { ...others, reset_password: changed } });
    expect(await store().get({ key: 'email' })).to.deep.equal({ ...others, reset_password: changed });
  });

  /** Values that cannot be stored, with the error. */
  const refused: readonly (readonly [name: string, key: string, value: unknown, message: string])[] = [
    ['users-permissions', 'grant', { google: 1 }, 'providers.google must be an object'],
    ['users-permissions', 'grant', { a: { key: {} } }, 'providers.a.key must be a text, a number, a boolean or a list of texts'],
    ['users-permissions', 'grant', { a: { b: { _bsontype: 'Long' } } }, 'providers must not hold the key "_bsontype"'],
    ...(['a:80/x', 'a b', 'https://a.test', 'user@a'] as const).map(
      (subdomain) =>
        [
          'users-permissions',
          'grant',
          { auth0: { enabled: true, subdomain } },
          'providers.auth0.subdomain must be the name of a host',
        ] as const,
    ),
    [
      'users-permissions',
      'grant',
      { keycloak: { enabled: true, subdomain: 'a.test:99999/b' } },
      'providers.keycloak.subdomain must be',
    ],
    [
      'users-permissions',
      'grant',
      { a: { enabled: true, callback: 'https://a b' } },
      'providers.a.callback must be a web address or a path',
    ],
    ...(['http://a.test', 'ftp://localhost/x', 'javascript://localhost/x'] as const).map(
      (address) =>
        [
          'users-permissions',
          'grant',
          { a: { enabled: true, access_url: address } },
          'providers.a.access_url must be an address that begins with https://',
        ] as const,
    ),
    ['i18n', 'default_locale', 'no locale', 'the default locale must be a language code, such as fr or pt-BR'],
    ['upload', 'settings', { sizeOptimization: 'yes' }, 'sizeOptimization must be a `boolean` type'],
    ['upload', 'view_configuration', { pageSize: 0 }, 'pageSize must be greater than or equal to 1'],
    [
      'content_manager',
      'configuration_content_types::plugin::users-permissions.user',
      { settings: { pageSize: 'x' } },
      'pageSize',
    ],
  ];
  for (const [name, key, value, message] of refused)
    it(`${name} ${key} ${JSON.stringify(value)} is refused`, async () => {
      const stored = serving.strapi.store({ type: 'plugin', name, key });
      const before = await stored.get();
      const error = await stored.set({ value }).catch((caught: Error) => caught.message);
      expect(error).to.include(message);
      expect(await stored.get()).to.deep.equal(before);
    });

  it('providers keep what the service does not read, and what is switched off', async () => {
    const custom = {
      custom_params: { prompt: 'login' },
      response: ['tokens', { raw: true }],
      redirectUri: '/a',
      none: null,
      dynamic: false,
    };
    const value = {
      google: { enabled: true, key: 'k', secret: 's', scope: ['email'], ...custom },
      auth0: { enabled: false, subdomain: 'a:80/x' },
      'my.own provider': custom,
    };
    await store().set({ key: 'grant', value });
    expect(await store().get({ key: 'grant' })).to.deep.include(value);
  });

  /** Values under their keys, with the collection whose caches are told. */
  const told: readonly (readonly [key: object, value: unknown, collection: string])[] = [
    [{ type: 'plugin', name: 'users-permissions', key: 'grant' }, { google: { enabled: true } }, '_code_store'],
    [{ type: 'plugin', name: 'users-permissions', key: 'advanced' }, { unique_email: true }, '_settings'],
    [{ type: 'plugin', name: 'upload', key: 'settings' }, { sizeOptimization: true }, '_code_store'],
    [{ type: 'core', name: 'admin', key: 'project-settings' }, { menuLogo: null }, '_code_store'],
    [{ type: 'plugin', name: 'i18n', key: 'default_locale' }, 'sv', '_settings'],
  ];
  for (const [key, value, collection] of told)
    it(`${JSON.stringify(key)} is told after the commit only`, async () => {
      let changes = 0;
      serving.server.backend?.store.changes.onChange([collection], () => void changes++);
      const change = async (work: (stored: ReturnType<typeof store>) => Promise<unknown>, fails: boolean) => {
        await serving.settled();
        const [before, lines] = [changes, log.lines.length];
        let early: unknown;
        const refusal = await serving.strapi.db
          .transaction(async () => {
            await work(serving.strapi.store(key));
            early = [changes - before, log.lines.length - lines];
            if (fails) throw new Error('no');
          })
          .catch(({ message }: Error) => message);
        return [early, refusal, changes > before || log.lines.length > lines];
      };
      for (const work of [
        (stored: ReturnType<typeof store>) => stored.set({ value }),
        (stored: ReturnType<typeof store>) => stored.delete(),
      ]) {
        expect(await change(work, true)).to.deep.equal([[0, 0], 'no', false]);
        expect(await change(work, false)).to.deep.equal([[0, 0], undefined, true]);
      }
    });

  it('without a default locale the first one is it', async () => {
    const locale = serving.strapi.store({ type: 'plugin', name: 'i18n', key: 'default_locale' });
    await locale.set({ value: 'de' });
    await locale.delete();
    await serving.settled();
    expect(await locale.get()).to.equal('en');
    expect(serving.server.backend?.models.snapshot.locales.default).to.equal('en');
  });

  /** Values without an effect, with the beginning of the line in the log. */
  const unused: readonly (readonly [key: object, line: string])[] = [
    [{ type: 'plugin', name: 'documentation', key: 'config' }, 'strapi.store: plugin_documentation_config has no effect'],
    [{ type: 'core', name: 'admin', key: 'auth' }, 'strapi.store: core_admin_auth has no effect'],
    [{ type: 'plugin', name: 'upload', key: 'api-folder' }, 'strapi.store: plugin_upload_api-folder has no effect'],
  ];
  for (const [key, line] of unused)
    it(`${JSON.stringify(key)} has no effect, which the log says once`, async () => {
      for (let time = 0; time < 2; time++) await serving.strapi.store.set({ ...key, value: { a: time } });
      expect(await serving.strapi.store.get(key)).to.deep.equal({ a: 1 });
      expect(log.lines.filter(({ msg }) => String(msg).startsWith(line))).to.have.length(1);
    });

  it('the logos of the panel need an address', async () => {
    const logos = serving.strapi.store({ type: 'core', name: 'admin', key: 'project-settings' });
    await logos.set({ value: { menuLogo: { name: 'a', url: '/uploads/a.png' }, authLogo: null } });
    expect(await logos.set({ value: { menuLogo: {} } }).catch((error: Error) => error.message)).to.match(
      /^menuLogo must be null/,
    );
    expect((await logos.get()).menuLogo.url).to.equal('/uploads/a.png');
  });

  it('the default locale is in force at once', async () => {
    const locale = serving.strapi.store({ type: 'plugin', name: 'i18n', key: 'default_locale' });
    await locale.set({ value: 'fr' });
    expect(await locale.get()).to.equal('fr');
    expect(log.lines.map(({ msg }) => msg)).to.include('the default locale fr is not among the locales: add it');
  });
});
