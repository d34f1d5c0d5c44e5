import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Providers that code registers: with settings, and with a function alone. */
const index = `
  module.exports = {
    register({ strapi }) {
      globalThis.projectStrapi = strapi;
      const registry = strapi.plugin('users-permissions').service('providers-registry');
      const grantConfig = {
        key: 'app', secret: 'app-secret', scope: ['email'], callback: 'https://app.test/in',
        authorize_url: 'https://club.test/authorize', access_url: 'https://club.test/token',
      };
      registry.register('club', { grantConfig, authCallback: () => ({}) });
      registry.register('staff', () => ({ providers }) => ({ username: providers.staff.key ?? 'nobody', email: 'staff@mail.test' }));
    },
  };`;

const key = 'plugin_users-permissions_grant';
const path = '/users-permissions/providers';
const plain = { clientId: 'app', clientSecret: 'plain-secret', issuer: 'https://plain.test' };
const byConfig = 'plain is set by plugins.users-permissions.config.providers of config/plugins: change it there';
const byCode = 'club is set by code that registers it: to replace its settings, set key and secret';

/** Settings as an import from Strapi v4 stores them; an address that was taken before it was checked. */
const imported = {
  email: { enabled: true, icon: 'envelope', redirectUri: 'https://old.test/email' },
  google: { enabled: false, icon: 'google', key: '', secret: '', redirectUri: 'https://old.test/google' },
  plain: { enabled: true, icon: '', key: 'old', secret: 'old', redirectUri: 'https://old.test/plain' },
  wrong: { enabled: true, key: 'k', secret: 's', callback: 'https://a b', redirectUri: 'https://old.test/wrong' },
};

describe('changes to log-in providers', () => {
  let project: ServedProject;
  let log: Log;
  let token = '';

  before(async () => {
    log = await createLog();
    const config = { jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef', ratelimit: { enabled: false }, providers: { plain } };
    project = await serveProject(
      { 'src/index.js': index },
      { models: [], logger: log.logger, config: { plugins: { 'users-permissions': { config } } } },
    );
    const admin = { email: 'super@test.test', firstname: 'super', password: 'Password1' };
    token = (await send('POST', admin, '/admin/register-admin')).body.data.token;
  });
  after(() => project.stop());
  beforeEach(() => write({}));

  const send = async (method: string, body?: object, of = path) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${project.server.url}${of}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers have several forms
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const store = () => project.strapi.store({ type: 'plugin', name: 'users-permissions', key: 'grant' });
  /** Stores settings as an import does, without a check. */
  const write = async (value: object): Promise<void> => {
    await store().delete();
    const stored = project.database.db.collection<{ _id: string }>('_code_store');
    await stored.replaceOne({ _id: key }, { value }, { upsert: true });
  };
  const stored = async () =>
    (await project.database.db.collection<{ _id: string; value: object }>('_code_store').findOne({ _id: key }))?.value;
  /** Saves the page with changed settings of one provider. */
  const save = async (name: string, change: object) => {
    const { body: shown } = await send('GET');
    return send('PUT', { providers: { ...shown, [name]: { ...shown[name], ...change } } });
  };
  /** Returns the lines about providers that some work has logged. */
  const logged = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const start = log.lines.length;
    await work();
    return log.lines
      .slice(start)
      .map((line) => JSON.stringify(line))
      .filter((line) => /logs nobody in|have no effect/.test(line));
  };
  const connect = async (name: string): Promise<string> => {
    await project.settled();
    const answer = await fetch(`${project.server.url}/api/connect/${name}`, { redirect: 'manual' });
    return answer.headers.get('location') ?? ((await answer.json()) as { error: { message: string } }).error.message;
  };

  describe('after an import', () => {
    beforeEach(() => write(imported));

    it('are saved by the page, and leave the others as they are', async () => {
      const { status, body } = await save('google', { enabled: true, key: 'g', secret: 's' });
      expect([status, body]).to.deep.equal([200, { ok: true }]);
      const google = { enabled: true, icon: 'google', key: 'g', secret: 's' };
      expect(await stored()).to.deep.equal({ ...imported, google });
    });

    it('are read by code as they were stored', async () => {
      const { google, wrong } = imported;
      expect(await store().get()).to.deep.include({ google, wrong });
      await store().set({ value: { ...(await store().get()), google: { ...google, redirectUri: '/other' } } });
      expect(await store().get()).to.deep.include({ google: { ...google, redirectUri: '/other' }, wrong });
    });

    it('are refused with a wrong address', async () => {
      const { status, body } = await save('wrong', { key: 'other' });
      expect([status, body.error.message]).to.deep.equal([400, 'providers.wrong.callback must be a web address or a path']);
      expect(await stored()).to.deep.equal(imported);
    });
  });

  describe('of code', () => {
    const club = {
      ...{ icon: '', enabled: true, key: 'app', secret: '', callback: 'https://app.test/in', scope: ['email'] },
      ...{ authorize_url: 'https://club.test/authorize', access_url: 'https://club.test/token' },
    };
    const clientOf = async (): Promise<string | null> => new URL(await connect('club')).searchParams.get('client_id');

    it('are shown without its secret', async () => {
      expect((await store().get()).club).to.deep.equal(club);
    });

    it('switch it off and on, which logs nothing and shows its settings', async () => {
      const lines = await logged(async () => {
        expect((await save('club', { enabled: false })).status).to.equal(200);
        expect(await connect('club')).to.equal('This provider is disabled');
        expect((await store().get()).club).to.deep.equal({ ...club, enabled: false });
        expect((await save('club', { enabled: true })).status).to.equal(200);
      });
      expect(await clientOf()).to.equal('app');
      expect((await store().get()).club).to.deep.equal(club);
      expect(lines).to.deep.equal([]);
    });

    it('replace its settings with key and secret', async () => {
      expect((await save('club', { key: 'other', secret: 's' })).status).to.equal(200);
      expect((await store().get()).club).to.deep.equal({ ...club, key: 'other', secret: 's' });
      expect(await clientOf()).to.equal('other');
      await store().set({ value: { club: { enabled: true, key: 'third', secret: 's' } } });
      expect(await clientOf()).to.equal('third');
    });

    it('are refused by the page without them', async () => {
      for (const change of [{ key: 'other' }, { callback: 'https://other.test' }]) {
        const { status, body } = await save('club', change);
        expect([status, body.error.details.errors]).to.deep.equal([
          400,
          [{ path: ['providers', 'club'], message: byCode, name: 'ValidationError' }],
        ]);
      }
      expect(await clientOf()).to.equal('app');
    });

    it('are given to a function that has registered no settings', async () => {
      const run = () => project.strapi.plugin('users-permissions').service('providers-registry').run({ provider: 'staff' });
      expect((await run()).username).to.equal('nobody');
      const lines = await logged(async () => expect((await save('staff', { key: 'k' })).status).to.equal(200));
      await project.settled();
      expect((await run()).username).to.equal('k');
      expect((await send('GET')).body.staff).to.include({ enabled: true, key: 'k' });
      expect(lines).to.deep.equal([]);
    });
  });

  describe('that code stores', () => {
    const lost = (text: string): string => `stored settings have no effect: ${text}`;
    const off = { enabled: false, icon: 'x', key: '', secret: '', callback: '/api/auth/plain/callback', scope: ['email'] };
    /** Changes, with the line about those that have no effect: last, because a line is logged once. */
    const cases: readonly (readonly [name: string, change: object | null, line: string | null])[] = [
      ['plain', {}, null],
      ['plain', null, null],
      ['club', {}, null],
      ['club', null, null],
      ['club', { enabled: false }, null],
      ['club', { key: 'other', secret: 's' }, null],
      ['plain', { key: 'other', secret: 's' }, lost(byConfig)],
      ['club', { scope: ['other'] }, lost(byCode)],
    ];
    for (const [name, change, line] of cases)
      it(`${name} ${change === null ? 'by default' : JSON.stringify(change)}: ${line ?? 'no line'}`, async () => {
        const grant = await store().get();
        const value = { ...grant, [name]: change === null ? off : { ...grant[name], ...change } };
        const lines = await logged(() => store().set({ value }));
        expect(lines).to.have.length(line === null ? 0 : 1);
        expect(lines.join()).to.include(line ?? '');
        expect((await store().get()).plain).to.include({ enabled: true, key: 'app', secret: '' });
      });
  });
});
