import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const ann = { firstname: 'Ann', lastname: 'Lee', email: 'Ann@example.org', password: 'Passw0rd', isActive: true };

describe('services of administrators for code of projects', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject({}, { models: [] });
  });
  after(() => serving.stop());

  const logIn = async (email: string, password: string): Promise<number> => {
    const body = JSON.stringify({ email, password });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${serving.server.url}/admin/login`, { method: 'POST', body, headers })).status;
  };

  it('have an administrator with roles, who can log in', async () => {
    const users = serving.strapi.service('admin::user');
    const superAdmin = await serving.strapi.service('admin::role').getSuperAdmin();
    expect(await users.exists({ email: 'ann@example.org' })).to.equal(false);
    const created = await users.create({ ...ann, roles: [superAdmin.id] });
    expect(created).to.include({ firstname: 'Ann', email: 'ann@example.org', isActive: true });
    expect(created.roles).to.have.length(1);
    expect(created.roles[0]).to.include({ id: superAdmin.id, code: 'strapi-super-admin' });
    expect(users.sanitizeUser({ ...created, password: 'hash' })).to.deep.equal(created);
    expect(await users.exists({ email: ann.email })).to.equal(true); // as it was written
    expect(await users.findOne(created.id)).to.deep.equal(created);
    expect(await users.findOneByEmail('ANN@example.org')).to.deep.equal(created);
    expect(await logIn('ann@example.org', 'Passw0rd')).to.equal(200);
    await serving.strapi.admin.services.user.updateById(created.id, {
      password: 'An0therOne',
      registrationToken: 'x',
      _tokenVersion: 9,
    });
    expect(await logIn('ann@example.org', 'Passw0rd')).to.equal(400);
    expect(await logIn('ann@example.org', 'An0therOne')).to.equal(200);
  });

  it('keep a super admin, and refuse what are no roles', async () => {
    const users = serving.strapi.service('admin::user');
    for (const [values, message] of [
      [{ isActive: false }, 'You must have at least one user with super admin role.'],
      [{ roles: [2] }, 'You must have at least one user with super admin role.'],
      [{ roles: ['strapi-editor'] }, 'roles must be a list of ids'],
      [{ roles: { set: [1] } }, 'roles must be a list of ids'],
    ] as const) {
      const refused: unknown = await users.updateById(1, values).catch((error: unknown) => error);
      expect(refused).to.include({ name: 'ValidationError', message });
    }
    expect((await users.findOne(1)).roles).to.have.length(1);
  });

  it('refuse an address that is taken', async () => {
    const users = serving.strapi.service('admin::user');
    const refused: unknown = await users.create(ann).catch((error: unknown) => error);
    expect(refused).to.include({ name: 'ApplicationError', message: 'Email already taken' });
    expect(await users.count()).to.equal(1);
  });

  it('find roles, and name members that are not offered', async () => {
    const roles = serving.strapi.service('admin::role');
    expect(await roles.findOne({ code: 'strapi-editor' })).to.include({ name: 'Editor' });
    expect(await roles.findOne({ code: { $in: ['strapi-author'] } })).to.include({ name: 'Author' });
    expect(await roles.findOne({ code: 'none' })).to.equal(null);
    expect((await roles.find()).length).to.be.greaterThan(2);
    expect(() => roles.create as unknown).to.throw("strapi.service('admin::role').create is not offered");
    expect(() => serving.strapi.service('admin::token') as unknown).to.throw("strapi.service('admin::token') is not offered");
  });
});
