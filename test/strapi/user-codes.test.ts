import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const uid = 'plugin::users-permissions.user';

/** Ways in which code stores a value of the user 1, as overridden actions of Strapi v4 do. */
const ways: readonly (readonly [name: string, store: (strapi: ServedProject['strapi'], data: object) => Promise<unknown>])[] = [
  ['the user service', (strapi, data) => strapi.plugin('users-permissions').service('user').edit(1, data)],
  ['strapi.entityService', (strapi, data) => strapi.entityService.update(uid, 1, { data })],
  ['strapi.query', (strapi, data) => strapi.query(uid).update({ where: { id: 1 }, data })],
  ['strapi.db.entityManager', (strapi, data) => strapi.db.entityManager.update(uid, { where: { id: 1 }, data })],
];

describe('codes of users that code stores', () => {
  let serving: ServedProject;
  const stored = async () => serving.strapi.query(uid).findOne({ where: { id: 1 } });
  before(async () => {
    serving = await serveProject(
      {},
      {
        models: [],
        config: { plugins: { 'users-permissions': { config: { ratelimit: { enabled: false } } } } },
      },
    );
    const data = { username: 'ann', email: 'ann@mail.test', password: 'Passw0rd!', provider: 'local', confirmed: true };
    await serving.strapi.query(uid).create({ data });
  });
  after(() => serving.stop());

  for (const [name, store] of ways)
    it(`${name}: are hashed, and accepted by the routes of the service once`, async () => {
      const code = `code of ${name}`;
      await store(serving.strapi, { resetPasswordToken: code });
      const { resetPasswordToken: held } = await stored();
      expect(held).to.match(/^[0-9a-f]{64}\.\d{13}$/);
      await store(serving.strapi, await stored());
      expect((await stored()).resetPasswordToken).to.equal(held);
      const reset = (sent: unknown) =>
        serving.call('POST', '/api/auth/reset-password', {
          code: sent,
          password: 'Passw0rd!',
          passwordConfirmation: 'Passw0rd!',
        });
      const statuses = [(await reset(held)).status, (await reset(code)).status, (await reset(code)).status];
      expect(statuses).to.deep.equal([400, 200, 400]);
      await store(serving.strapi, { confirmationToken: `confirm ${code}`, confirmed: false });
      await serving.call('GET', `/api/auth/email-confirmation?confirmation=${encodeURIComponent(`confirm ${code}`)}`);
      expect(await stored()).to.include({ confirmed: true });
      await store(serving.strapi, { resetPasswordToken: null });
      expect((await stored()).resetPasswordToken).to.equal(null);
    });
});
