import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveModels } from '../support/serve.js';
import { writeProject } from '../support/write-project.js';

const gadget = {
  contentType: {
    ...{ displayName: 'Gadget', singularName: 'gadget', pluralName: 'gadgets', kind: 'collectionType' },
    attributes: { title: { type: 'string' } },
  },
};

/** Production needs all secrets. */
const secret = 'x'.repeat(40);
const secrets = {
  admin: { token: secret, apiToken: { salt: secret } },
  plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
};

/** The environment, the status of a change, whether the panel offers it, and whether the file is written. */
const cases = [
  ['development', 201, true, true],
  ['production', 403, false, false],
] as const;

describe('models of a project in the panel', () => {
  for (const [environment, expected, isOffered, isWritten] of cases)
    it(`are ${isWritten ? 'written to the files' : 'only shown'} in ${environment}`, async () => {
      const project = await writeProject({ 'src/index.js': 'module.exports = {};' });
      const serving = await serveModels({ models: [], project, config: { environment, ...secrets } });
      try {
        let token = '';
        const send = async (method: string, path: string, body?: object) => {
          const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
          const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
          const response = await fetch(`${serving.server.url}${path}`, request);
          return { status: response.status, body: (await response.json()) as { data: Readonly<Record<string, unknown>> } };
        };
        const first = { email: 'super@test.test', firstname: 'super', password: 'Password1' };
        token = String((await send('POST', '/admin/register-admin', first)).body.data['token']);
        const { autoReload } = (await send('GET', '/admin/information')).body.data;
        const { status } = await send('POST', '/content-type-builder/content-types', gadget);
        const file = join(project, 'src/api/gadget/content-types/gadget/schema.json');
        expect([status, autoReload, existsSync(file)]).to.deep.equal([expected, isOffered, isWritten]);
        if (isWritten) expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.include({ collectionName: 'gadgets' });
      } finally {
        await serving.stop();
      }
    });
});
