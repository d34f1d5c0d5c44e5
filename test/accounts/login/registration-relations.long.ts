import { expect } from 'chai';
import type { TestModel } from '../../support/serve.js';
import { password, serveAccounts } from '../../content/rights/serve-accounts.js';
import { userUid, withUserAttributes } from '../user-model.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

const company: TestModel = {
  uid: 'api::company.company',
  kind: 'collectionType',
  info: { singularName: 'company', pluralName: 'companies', displayName: 'Company' },
  attributes: { name: { type: 'string' } },
};
const profile: TestModel = {
  uid: 'shared.profile',
  info: { displayName: 'Profile' },
  attributes: { text: { type: 'string' }, employer: { type: 'relation', relation: 'oneToOne', target: company.uid } },
};
const users = withUserAttributes({
  company: { type: 'relation', relation: 'manyToOne', target: company.uid },
  companies: { type: 'relation', relation: 'manyToMany', target: company.uid },
  about: { type: 'relation', relation: 'morphToOne' },
  profile: { type: 'component', component: profile.uid },
});

describe('relations in a registration, to a type that the public may not find', () => {
  interface Case {
    readonly what: string;
    readonly allowedFields: readonly string[] | null;
    readonly body: object;
    /** Names of the linked companies, by attribute; the status of a refusal. */
    readonly expected: object | number;
    /** Whether a row rule hides the company. */
    readonly ruled?: true;
  }
  const all = ['company', 'companies', 'about', 'profile'];
  const cases: readonly Case[] = [
    { what: 'a listed relation to one', allowedFields: all, body: { company: 1 }, expected: { company: 'Acme' } },
    { what: 'connect', allowedFields: all, body: { company: { connect: [{ id: 1 }] } }, expected: { company: 'Acme' } },
    { what: 'a listed relation to many', allowedFields: all, body: { companies: [1] }, expected: { companies: ['Acme'] } },
    {
      what: 'a polymorphic one',
      allowedFields: all,
      body: { about: { __type: company.uid, id: 1 } },
      expected: { about: 'Acme' },
    },
    {
      what: 'one in a component',
      allowedFields: all,
      body: { profile: { text: 'a', employer: 1 } },
      expected: { profile: 'Acme' },
    },
    { what: 'a missing company', allowedFields: all, body: { company: 9 }, expected: 400 },
    { what: 'a hidden company', allowedFields: all, body: { company: 1 }, ruled: true, expected: 400 },
    { what: 'one that is not listed', allowedFields: ['companies'], body: { company: 1 }, expected: {} },
    { what: 'no list', allowedFields: null, body: { company: 1 }, expected: {} },
  ];

  const nameOf = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(nameOf) : Reflect.get(Object(value) as object, 'name');

  for (const { what, allowedFields, body, expected, ruled } of cases)
    it(`${what}: ${JSON.stringify(expected)}`, async () => {
      const config = { jwtSecret, ratelimit: { enabled: false }, register: { allowedFields } };
      const server = await serveAccounts({
        models: [company, profile, users],
        config: { plugins: { 'users-permissions': { config } } },
      });
      try {
        await server.admin('PUT', '/roles/1/rules', { fields: { [userUid]: { deny: [] } } });
        if (ruled) await server.admin('PUT', '/roles/2/rules', { rows: { [company.uid]: { name: { $eq: 'other' } } } });
        const made = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
        const key: string = made.body.data.accessKey;
        await server.as(key, 'POST', '/api/companies', { data: { name: 'Acme' } });
        const sent = { username: 'newbie', email: 'newbie@mail.test', password, ...body };
        const { status } = await server.as(null, 'POST', '/api/auth/local/register', sent);
        if (typeof expected === 'number') return void expect(status).to.equal(expected);
        const read = await server.as(
          key,
          'GET',
          '/api/users/1?populate[company]=*&populate[companies]=*&populate[about]=*&populate[profile][populate]=employer',
        );
        const { company: one, companies, about, profile: part } = read.body;
        const links = { company: one, companies, about, profile: part?.employer };
        const named = Object.entries(links).map(([name, value]) => [name, nameOf(value)] as const);
        const found = named.filter(([, name]) => name !== undefined && String(name) !== '');
        expect([status, Object.fromEntries(found)]).to.deep.equal([200, expected]);
      } finally {
        await server.stop();
      }
    });
});
