import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AttributeDefinition, Model } from '../../../../src/model/schema/model.js';
import { installPackages } from '../../../install-packages.js';
import { models } from '../../models.js';
import { peerFolder } from '../install-peer.js';

const strapiVersion = '4.26.2';

/** The folder of the Strapi project, outside of the repository. It holds the SQLite files too. */
export const strapiFolder = peerFolder('strapi', strapiVersion);

/** The file of a filled database, by the size of its data set and the form of the data. */
export const strapiData = (size: string, form: number): string => path.join(strapiFolder, `data-${size}-${String(form)}.db`);

/** Writes a Strapi project with the content types of the data set, and installs its packages unless an earlier run has. */
export async function installStrapi(): Promise<void> {
  for (const [name, text] of projectFiles()) {
    const file = path.join(strapiFolder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  // The administration's packages for browsers are left out: peer dependencies are not installed.
  installPackages(strapiFolder, ['--legacy-peer-deps', '--loglevel=error']);
}

function* projectFiles(): Generator<readonly [name: string, text: string]> {
  yield ['package.json', JSON.stringify(manifest)];
  for (const [name, value] of Object.entries(settings)) yield [`config/${name}.js`, `module.exports = () => (${value});\n`];
  yield ['src/index.js', openToAll];
  for (const model of models) yield* modelFiles(model);
  // Strapi serves this folder and refuses to start without it.
  yield ['public/uploads/.gitkeep', ''];
}

const manifest = {
  name: 'mangrove-bench-strapi',
  private: true,
  version: '0.0.0',
  dependencies: {
    '@strapi/strapi': strapiVersion,
    '@strapi/plugin-i18n': strapiVersion,
    'better-sqlite3': '8.6.0',
    // The one peer dependency that the server needs.
    ajv: '^8.17.1',
  },
  // Older ones download their binaries from elsewhere than the registry.
  overrides: { sharp: '0.33.5' },
  allowScripts: { 'better-sqlite3': true },
  // No telemetry.
  strapi: { uuid: false },
};

/** As Strapi's generator writes them, without a log line for each request, which the product does not write either. */
const settings = {
  database: `{ connection: { client: 'sqlite', connection: { filename: process.env.DATABASE_FILENAME }, useNullAsDefault: true } }`,
  server: `{ host: '127.0.0.1', port: 0, app: { keys: ['bench'] }, http: { serverOptions: { keepAliveTimeout: 65000 } } }`,
  admin: `{ serveAdminPanel: false, auth: { secret: 'bench' }, apiToken: { salt: 'bench' }, transfer: { token: { salt: 'bench' } } }`,
  api: `{ rest: { defaultLimit: 25, maxLimit: 100, withCount: true } }`,
  middlewares: JSON.stringify(
    ['errors', 'security', 'cors', 'poweredBy', 'query', 'body', 'session', 'favicon', 'public'].map((name) => `strapi::${name}`),
  ),
};

function* modelFiles({ uid, ...described }: Model): Generator<readonly [name: string, text: string]> {
  const attributes = Object.entries(described.attributes).map(([key, attribute]) => [key, withoutPoint(attribute)]);
  const model = { ...described, attributes: Object.fromEntries(attributes) as Model['attributes'] };
  const [, api = '', name] = /^api::(.+)\.(.+)$/.exec(uid) ?? [];
  if (name === undefined) {
    yield [`src/components/${uid.replace('.', '/')}.json`, JSON.stringify(model)];
    return;
  }
  const make = (factory: string): string => `module.exports = require('@strapi/strapi').factories.${factory}('${uid}');\n`;
  yield [`src/api/${api}/content-types/${name}/schema.json`, JSON.stringify(model)];
  yield [`src/api/${api}/controllers/${name}.js`, make('createCoreController')];
  yield [`src/api/${api}/services/${name}.js`, make('createCoreService')];
  yield [`src/api/${api}/routes/${name}.js`, make('createCoreRouter')];
}

/** Strapi has no points. */
const withoutPoint = (attribute: AttributeDefinition): AttributeDefinition =>
  attribute.type === 'point' ? { ...attribute, type: 'json' } : attribute;

/** Everything is allowed to everybody, as in the product that it is compared with. */
const openToAll = `module.exports = {
  register({ strapi }) {
    const authenticate = () => ({ authenticated: true, credentials: null });
    strapi.container.get('auth').register('content-api', { name: 'open', authenticate, verify() {} });
  },
};
`;
