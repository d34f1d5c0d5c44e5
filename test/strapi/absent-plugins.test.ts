import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Calls of plugins that do nothing here, what they return, and a part of the only notice. */
const calls: readonly (readonly [plugin: string, service: string, method: string, result: unknown, notice: string])[] = [
  ['sentry', 'sentry', 'sendError', undefined, "strapi.plugin('sentry') sends nothing"],
  ['sentry', 'sentry', 'getInstance', null, "strapi.plugin('sentry') sends nothing"],
  ['rest-cache', 'cacheStore', 'clearByUid', undefined, "strapi.plugin('rest-cache') has no answers"],
  ['rest-cache', 'cacheStore', 'get', null, "strapi.plugin('rest-cache') has no answers"],
  ['rest-cache', 'cacheStore', 'keys', [], "strapi.plugin('rest-cache') has no answers"],
];

const named = JSON.stringify({
  dependencies: {
    '@strapi/strapi': '4.26.2',
    '@strapi/plugin-sentry': '4.26.2',
    'strapi-plugin-rest-cache': '4.2.9',
    '@strapi/plugin-documentation': '4.26.2',
  },
});

describe('plugins whose work is not needed', () => {
  let lines: Log['lines'];
  let serving: ServedProject;
  before(async () => {
    const log = await createLog();
    ({ lines } = log);
    serving = await serveProject({ 'package.json': named }, { models: [], logger: log.logger });
  });
  after(() => serving.stop());

  for (const [plugin, service, method, result, notice] of calls)
    it(`${plugin}: ${method}`, async () => {
      const { [method]: call } = serving.strapi.plugin(plugin).service(service);
      for (let count = 0; count < 2; count += 1) expect(await call(new Error('x'))).to.deep.equal(result);
      expect(lines.filter((line) => JSON.stringify(line).includes(notice))).to.have.length(1);
    });

  it('rest-cache: keeps what code sets, for as long as it says', async () => {
    const store = serving.strapi.plugin('rest-cache').service('cacheStore');
    await store.set(7, { socket: 'a' }, 60_000);
    await store.set('drivers_7', ['b'], { NX: true });
    await store.set('soon', 'c', 1);
    await store.set('nothing', undefined);
    expect(await Promise.all([7, '7', 'drivers_7', 'nothing', 'none'].map((key) => store.get(key)))).to.deep.equal([
      ...[{ socket: 'a' }, { socket: 'a' }, ['b'], undefined, null],
    ]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await store.get('soon')).to.equal(null);
    await store.clearByRegexp([/^drivers/]);
    await store.del('nothing');
    expect(await store.keys()).to.deep.equal(['7']);
    await store.reset();
    expect(await store.keys()).to.deep.equal([]);
  });

  it('documentation: its settings are there', () => {
    expect(serving.strapi.plugin('documentation').config('info', 'none')).to.equal('none');
  });

  it('rest-cache: other services are named', () => {
    expect(() => serving.strapi.plugin('rest-cache').service('cacheConf')).to.throw('has its own caches');
  });
});
