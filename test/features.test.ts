import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '#settings/load-config.js';
import { listSettings, sectionsWith } from '#settings/sections.js';
import { group, text, type ValueOf } from '#settings/setting.js';
import { declarations } from '#declarations.js';
import { features } from '#features.js';
import { answers } from '#http/operation.js';
import type { Closing, Feature } from '#http/feature.js';
import { serveModels, type Serving } from './support/serve.js';

const settings = { api: { trial: group({ greeting: text('hello', 'What it says', { variable: 'TRIAL_GREETING' }) }) } };

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'api.trial': ValueOf<typeof settings.api.trial>;
  }
}

const isClosed: string[] = [];

/** A feature that does something in every way that a feature can. */
const trial: Feature = {
  name: 'trial',
  settings,
  collections: [{ name: '_trials', backup: 'never', indexes: [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 }] }],
  models: [
    {
      uid: 'plugin::trial.note',
      kind: 'collectionType',
      collectionName: 'trial_notes',
      info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
      attributes: { title: { type: 'string' } },
    },
  ],
  actions: ['plugin::trial.greetings.find'],
  routes: ({ config }) => [
    {
      method: 'GET',
      path: `${config.api.rest.prefix}/greetings`,
      action: 'plugin::trial.greetings.find',
      operation: { id: 'findGreeting', summary: 'Read a greeting', tag: 'Trial', answers: answers({ type: 'string' }) },
      page: { name: 'Greetings', about: 'what it says' },
      handle: ({ running }) => ({ body: running.config.api.trial.greeting }),
    },
  ],
  start: ({ backend }) => {
    const name = backend.store.database.db.databaseName;
    const end: Closing = () => Promise.resolve(void isClosed.push(name));
    return Promise.resolve(end);
  },
};

const all = [...features, trial];
const adminToken = 'an-admin-token-of-more-than-32-characters';

describe('a new feature', () => {
  let serving: Serving;
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-features-'));
    await mkdir(join(directory, 'config'));
    await writeFile(join(directory, 'config/api.json'), JSON.stringify({ trial: { greeting: 'good morning' } }));
    const { api } = await loadConfig({ directory, variables: {}, sections: sectionsWith(all) });
    serving = await serveModels({
      models: [],
      config: { api: { ...api, open: false }, admin: { token: adminToken } },
      features: all,
    });
  });
  after(async () => {
    await serving.stop();
    await rm(directory, { recursive: true });
    expect(isClosed).to.deep.equal([serving.database.name]);
  });

  const admin = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
    return (await fetch(`${serving.server.url}${path}`, init)).json() as Promise<any>;
  };

  it('has its settings in config/ and in the environment, with a row in the documentation', async () => {
    const read = async (variables: Readonly<Record<string, string>>) => {
      const { api } = await loadConfig({ directory, variables, sections: sectionsWith(all) });
      return api.trial.greeting;
    };
    expect(await read({})).to.equal('good morning');
    expect(await read({ TRIAL_GREETING: 'good evening' })).to.equal('good evening');
    expect(listSettings(sectionsWith(all))).to.deep.include({
      key: 'api.trial.greeting',
      default: 'hello',
      variable: 'TRIAL_GREETING',
      about: 'What it says',
    });
    expect(listSettings(sectionsWith(features))).to.deep.equal(listSettings(sectionsWith(declarations)));
    const collectionsOf = (list: typeof declarations) => list.flatMap(({ collections = [] }) => collections);
    expect(collectionsOf(features)).to.have.members(collectionsOf(declarations));
  });

  it('answers callers whose role has its action, by its settings', async () => {
    expect((await serving.call('GET', '/api/greetings')).status).to.be.oneOf([401, 403]);
    const { data: roles } = await admin('GET', '/admin/api/roles');
    const { id } = roles.find(({ type }: { readonly type: string }) => type === 'public');
    expect((await admin('GET', '/admin/api/permissions')).data).to.include('plugin::trial.greetings.find');
    await admin('PUT', `/admin/api/roles/${id}`, { actions: ['plugin::trial.greetings.find'] });
    await serving.settled();
    expect(await serving.call('GET', '/api/greetings')).to.deep.equal({ status: 200, body: 'good morning' });
  });

  it('is in the OpenAPI document', async () => {
    const document = await admin('GET', '/api/openapi.json');
    expect(document.paths['/api/greetings'].get).to.include({ operationId: 'findGreeting', summary: 'Read a greeting' });
  });

  it('has its collections with their indexes', async () => {
    const indexes = await serving.database.db.collection('_trials').indexes();
    expect(indexes).to.deep.include({ v: 2, key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 });
  });

  it('has its content types', () => {
    const { registry } = serving.server.backend?.models.snapshot ?? expect.fail('no database');
    expect(registry.types.get('plugin::trial.note')?.collection).to.equal('trial_notes');
  });

  it('reserves its paths', async () => {
    const info = { singularName: 'greeting', pluralName: 'greetings', displayName: 'Greeting' };
    const model = { uid: 'api::greeting.greeting', kind: 'collectionType', info, attributes: { title: { type: 'string' } } };
    const { error } = await admin('PUT', '/admin/api/models/api::greeting.greeting', model);
    expect(error.message).to.equal('path greetings is taken by the service itself');
  });

  it('is linked from the start page', async () => {
    const { body } = await serving.call('GET', '/');
    expect(body.Greetings).to.equal(`${serving.server.url}/api/greetings`);
  });
});
