import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { type Agent, connectNew } from './agents.js';

const localized = { pluginOptions: { i18n: { localized: true } } };
const models = ['page', 'text'].map((name) => collectionType(name, { title: { type: 'string', ...localized } }, localized));
const actions = ['find', 'create'].flatMap((end) => [`api::page.page.${end}`, `api::text.text.${end}`]);

describe('an agent whose row rules hide locales', () => {
  let server: ServingAccounts;
  let agent: Agent;

  before(async () => {
    server = await serveAccounts({ models, config: { api: { mcp: { enabled: true } } } });
    await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
    await server.admin('PUT', '/roles/1', { actions });
    for (const code of ['de', 'fr'])
      expect((await server.admin('POST', '/locales', { code, name: code })).status).to.be.oneOf([200, 201]);
    agent = await connectNew(`${server.server.url}/mcp`, (await server.addUser('ann')).jwt);
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  const setRules = async (page: object | null, text: object | null) => {
    const rules = { ...(page && { 'api::page.page': page }), ...(text && { 'api::text.text': text }) };
    const rows = Object.keys(rules).length === 0 ? null : rules;
    expect((await server.admin('PUT', '/roles/1/rules', { rows })).status).to.equal(200);
  };

  for (const [page, text, expected] of [
    [null, null, { locales: ['de', 'en', 'fr'], defaultLocale: 'en' }],
    [{ locale: 'de' }, null, { locales: ['de', 'en', 'fr'], defaultLocale: 'en' }],
    [{ locale: 'de' }, { locale: { $in: ['fr'] } }, { locales: ['de', 'fr'] }],
    [{ locale: { $ne: 'de' } }, { locale: { $notIn: ['de'] } }, { locales: ['en', 'fr'], defaultLocale: 'en' }],
    [{ $not: { locale: 'en' } }, { $and: [{ title: 'x' }, { locale: 'fr' }] }, { locales: ['de', 'fr'] }],
    [{ $or: [{ locale: 'de' }, { locale: 'fr' }] }, { locale: 'fr' }, { locales: ['de', 'fr'] }],
    [{ $or: [{ locale: 'de' }, { title: 'x' }] }, { locale: 'fr' }, { locales: ['de', 'en', 'fr'], defaultLocale: 'en' }],
    [{ $not: { title: 'x' } }, { locale: 'fr' }, { locales: ['de', 'en', 'fr'], defaultLocale: 'en' }],
  ] as const)
    it(`is told ${JSON.stringify(expected.locales)} with the rules ${JSON.stringify([page, text])}`, async () => {
      await setRules(page, text);
      const { types, ...locales } = (await agent.call('describe')).content;
      expect(types.length).to.equal(2);
      expect({ ...locales, locales: locales.locales.toSorted() }).to.deep.equal(expected);
    });

  it('is refused a hidden one as one that there is not', async () => {
    await setRules({ locale: 'de' }, null);
    const refusal = async (locale: string) => (await agent.call('find', { type: 'page', locale })).text;
    expect(await refusal('fr')).to.equal(await refusal('xx'));
    expect(await refusal('fr')).to.equal('Argument locale must be one of de');
    expect((await agent.call('find', { type: 'page', locale: 'de' })).isError).to.equal(false);
    expect((await agent.call('find', { type: 'text', locale: 'fr' })).isError).to.equal(false);
  });
});
