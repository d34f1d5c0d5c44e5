import { expect } from 'chai';
import { openAdministrators } from '../support/administrators.js';
import { serveModels } from '../support/serve.js';

const secret = 'x'.repeat(40);
const secrets = {
  admin: { token: secret, apiToken: { salt: secret } },
  plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
};
const gadget = (name: string) => ({
  contentType: {
    ...{ displayName: name, singularName: name, pluralName: `${name}s`, kind: 'collectionType' },
    attributes: { title: { type: 'string' } },
  },
});
const builder = 'plugin::content-type-builder' as const;
const administrators = {
  reader: [[{ action: `${builder}.read` }]],
  writer: [[{ action: `${builder}.read` }, { action: `${builder}.update` }]],
} as const;

/** The configuration, and who may change models then. */
const cases = [
  ['development', {}, ['super', 'writer']],
  ['production', {}, ['super']],
  ['production', { builder: 'write' }, ['super', 'writer']],
] as const;

describe('the right to change models in the panel', () => {
  for (const [environment, admin, allowed] of cases)
    it(`belongs to ${allowed.join(' and ')} in ${environment} with ${JSON.stringify(admin)}`, async () => {
      const config = { environment, ...secrets, admin: { ...secrets.admin, ...admin } };
      const serving = await serveModels({ models: [], config });
      try {
        const send = await openAdministrators(serving, administrators);
        for (const name of ['super', 'reader', 'writer']) {
          const isAllowed = allowed.some((one) => one === name);
          expect((await send(name, 'GET', '/content-type-builder/content-types')).status, name).to.equal(200);
          const { data } = (await send(name, 'GET', '/admin/information')).body;
          expect(data.autoReload, name).to.equal(isAllowed);
          const { status } = await send(name, 'POST', '/content-type-builder/content-types', gadget(name));
          expect(status, name).to.equal(isAllowed ? 201 : 403);
          if (!isAllowed) continue;
          const at = `/content-type-builder/content-types/api::${name}.${name}`;
          for (const other of ['reader', 'writer'].filter((one) => !allowed.some((two) => two === one)))
            expect((await send(other, 'DELETE', at)).status, other).to.equal(403);
          expect((await send(name, 'DELETE', at)).status).to.equal(200);
        }
      } finally {
        await serving.stop();
      }
    });
});
