import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';
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

interface Answer {
  readonly status: number;
  readonly body: { readonly data: Readonly<Record<string, unknown>> };
}

/** Returns a function that sends requests of a super admin. */
async function asSuperAdmin({ server }: Pick<Serving, 'server'>) {
  let token = '';
  const send = async (method: string, target: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${server.url}${target}`, request);
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  const administrator = { email: 'super@test.test', firstname: 'super', password: 'Password1' };
  token = String((await send('POST', '/admin/register-admin', administrator)).body.data['token']);
  return send;
}

/** The files that tell the language of a project, and the router of a new type. */
const routers = [
  [
    'TypeScript',
    { 'tsconfig.json': '{}', 'package.json': '{ "type": "module", "dependencies": { "mangrove": "*" } }' },
    'gadget.ts',
    "import { factories } from 'mangrove';\n\nexport default factories.createCoreRouter('api::gadget.gadget');\n",
  ],
  [
    'CommonJS',
    { 'package.json': '{ "dependencies": { "@strapi/strapi": "4.26.2" } }' },
    'gadget.js',
    "const { factories } = require('@strapi/strapi');\n\nmodule.exports = factories.createCoreRouter('api::gadget.gadget');\n",
  ],
  [
    'modules',
    { 'package.json': '{ "type": "module" }' },
    'gadget.js',
    "import { factories } from '@strapi/strapi';\n\nexport default factories.createCoreRouter('api::gadget.gadget');\n",
  ],
] as const;

describe('models of a project in the panel', () => {
  for (const [environment, expected, isOffered, isWritten] of cases)
    it(`are ${isWritten ? 'written to the files' : 'only shown'} in ${environment}`, async () => {
      const project = await writeProject({ 'src/index.js': 'module.exports = {};' });
      const serving = await serveModels({ models: [], project, config: { environment, ...secrets } });
      try {
        const send = await asSuperAdmin(serving);
        const { autoReload } = (await send('GET', '/admin/information')).body.data;
        const { status } = await send('POST', '/content-type-builder/content-types', gadget);
        const file = join(project, 'src/api/gadget/content-types/gadget/schema.json');
        expect([status, autoReload, existsSync(file)]).to.deep.equal([expected, isOffered, isWritten]);
        if (isWritten) expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.include({ collectionName: 'gadgets' });
        expect(existsSync(join(project, 'src/api/gadget/routes'))).to.equal(false);
      } finally {
        await serving.stop();
      }
    });

  for (const [title, files, name, code] of routers)
    it(`have a router, if the project has routers: ${title}`, async () => {
      const project = await writeProject({ ...files, 'src/api/note/routes/note.js': 'module.exports = { routes: [] };' });
      const serving = await serveModels({ models: [], project, config: { api: { open: true } } });
      try {
        const send = await asSuperAdmin(serving);
        expect((await send('POST', '/content-type-builder/content-types', gadget)).status).to.equal(201);
        expect(readFileSync(join(project, 'src/api/gadget/routes', name), 'utf8')).to.equal(code);
        expect((await fetch(`${serving.server.url}/api/gadgets`)).status).to.equal(200);
        const restarted = await serveModels({ models: [], project, database: serving.database, config: { api: { open: true } } });
        expect((await fetch(`${restarted.server.url}/api/gadgets`)).status).to.equal(200);
        await restarted.stop();
      } finally {
        await serving.stop();
      }
    });
});
