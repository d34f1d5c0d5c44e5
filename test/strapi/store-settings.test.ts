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

  for (const [name, key, what] of [
    ['users-permissions', 'grant', 'log-in providers'],
    ['i18n', 'default_locale', 'the default locale'],
  ])
    it(`${String(key)} cannot be set, which the log says once`, async () => {
      for (let time = 0; time < 2; time++) await serving.strapi.store({ type: 'plugin', name }).set({ key, value: { a: 1 } });
      expect(await serving.strapi.store({ type: 'plugin', name, key }).get()).not.to.have.property('a');
      expect(log.lines.filter(({ msg }) => String(msg).startsWith(`strapi.store does not set ${String(what)}`))).to.have.length(
        1,
      );
    });
});
