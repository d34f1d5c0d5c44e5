import { expect } from 'chai';
import { createLog } from '../../support/create-log.js';
import { accountModels, password, serveAccounts } from '../../content/rights/serve-accounts.js';
import { userUid, withUserAttributes } from '../user-model.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

describe('registrations under the field rules of the default role', () => {
  const models = [...accountModels, withUserAttributes({ company: { type: 'string' }, credit: { type: 'integer' } })];
  const sent = { username: 'newbie', email: 'newbie@mail.test', password, company: 'Acme', credit: 100 };

  interface Case {
    readonly rule: object | null;
    readonly allowedFields?: readonly string[];
    readonly strict?: true;
    /** The stored values; the refused attributes in strict mode. */
    readonly expected: readonly unknown[];
    /** Attributes that a warning at the start names. */
    readonly warned: string | null;
  }
  const cases: readonly Case[] = [
    { rule: null, expected: ['Acme', 100], warned: 'company, credit' },
    { rule: null, allowedFields: ['company'], expected: ['Acme', null], warned: null },
    { rule: { deny: ['credit'] }, expected: ['Acme', null], warned: 'company' },
    { rule: { allow: ['username', 'email', 'password', 'company'] }, expected: ['Acme', null], warned: 'company' },
    { rule: { allow: ['username'] }, expected: [null, null], warned: null },
    { rule: { deny: ['credit'] }, allowedFields: ['company', 'credit'], expected: ['Acme', null], warned: null },
    { rule: { deny: ['credit'] }, strict: true, expected: ['credit'], warned: 'company' },
    { rule: { allow: [] }, strict: true, expected: ['company', 'credit'], warned: null },
  ];
  for (const { rule, allowedFields, strict, expected, warned } of cases)
    it(`${JSON.stringify({ rule, allowedFields, strict })}: ${expected.join()}`, async () => {
      const { logger, lines } = await createLog();
      const register = allowedFields === undefined ? {} : { allowedFields };
      const config = { jwtSecret, ratelimit: { enabled: false }, register };
      const rest = strict === undefined ? {} : { strict };
      const input = { models, logger, config: { api: { rest }, plugins: { 'users-permissions': { config } } } };
      const first = await serveAccounts(input);
      await first.admin('PUT', '/roles/1/rules', { fields: { [userUid]: rule ?? { deny: [] } } });
      const before = lines.length;
      const server = await serveAccounts({ ...input, models: [], database: first.database });
      const told = (text: string) =>
        lines
          .slice(before)
          .filter(({ msg }) => String(msg).includes(text))
          .map(({ msg }) => String(msg));
      expect(told('a registration may set').join()).to.include(warned === null ? '' : `may set ${warned} of`);
      expect(told('a registration may set')).to.have.lengthOf(warned === null ? 0 : 1);

      const { status, body } = await server.as(null, 'POST', '/api/auth/local/register', sent);
      const users = server.database.db.collection('up_users');
      if (strict === true) {
        const paths = body.error.details.errors.map(({ path }: { readonly path: readonly string[] }) => path.join());
        expect([status, paths, await users.countDocuments()]).to.deep.equal([400, expected, 0]);
      } else {
        const stored = await users.findOne({});
        expect([stored?.['company'] ?? null, stored?.['credit'] ?? null]).to.deep.equal(expected);
        const dropped = ['company', 'credit'].filter((name) => told(`${name} of a user is not written`).length > 0);
        const hidden = rule === null ? [] : ['company', 'credit'].filter((_, index) => expected[index] === null);
        expect(dropped).to.deep.equal(hidden);
        expect(told('email of a user'), 'every registration writes it').to.deep.equal([]);
      }
      await server.stop();
      await first.stop();
    });
});
