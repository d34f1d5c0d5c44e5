import { expect } from 'chai';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { createService } from '#operate/service/create-server.js';
import type { Service, ServiceInput } from '#operate/service/service.js';
import { collectionType } from '../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { storeModels, testConfig } from '../support/serve.js';
import { writeProject } from '../support/write-project.js';

/** Code that notes its calls, and changes a stored model. */
const index = `
  module.exports = {
    register({ strapi }) {
      globalThis.calls.push('register');
      if (globalThis.failure) throw new Error(globalThis.failure);
      strapi.contentType('api::page.page').attributes.subtitle = { type: 'string' };
    },
    bootstrap() {
      globalThis.calls.push('bootstrap');
      if (globalThis.lateFailure) throw new Error(globalThis.lateFailure);
    },
    destroy() { globalThis.calls.push('destroy'); },
  };`;

/** Starts a service. Returns the message of its error, if there is one. */
const startOf = (service: Service): Promise<string> =>
  service.start().then(
    () => 'started',
    ({ message }: Error) => message,
  );

describe('register of a project while the database does not answer', () => {
  let database: FreshDatabase;
  let input: ServiceInput;
  let link: TcpLink;
  let service: Service;
  let started: Promise<unknown>;
  let calls: string[];

  beforeEach(async () => {
    calls = [];
    Object.assign(globalThis, { calls, failure: null, lateFailure: null });
    database = await freshDatabase();
    await storeModels(database, [collectionType('page', { title: { type: 'string' } })]);
    link = await linkTo(database.client.options.hosts[0]?.port ?? 0);
    link.block();
    const uri = `mongodb://127.0.0.1:${String(link.port)}/${database.name}?directConnection=true`;
    const { database: settings, ...config } = testConfig(database);
    const project = await writeProject({ 'src/index.js': index });
    input = { config: { ...config, database: { ...settings, uri, selectionTimeout: 200 } }, project };
    service = await createService(input);
    started = startOf(service);
    while (service.url === '') await database.db.command({ ping: 1 });
  });
  afterEach(async () => {
    await service.stop();
    await link.close();
    await database.drop();
  });

  const statusOf = async (path: string): Promise<number> => (await fetch(`${service.url}${path}`)).status;

  it('runs once when it answers, before bootstrap, and the service listens before', async () => {
    const paths = ['/_health', '/_health/ready', '/api/pages', '/unknown'];
    expect(await Promise.all(paths.map(statusOf))).to.deep.equal([204, 503, 503, 503]);
    expect(calls).to.deep.equal([]);
    link.unblock();
    expect(await started).to.equal('started');
    while ((await statusOf('/_health/ready')) !== 200) await database.db.command({ ping: 1 });
    expect(calls).to.deep.equal(['register', 'bootstrap']);
    const stored = await database.db.collection('_models').findOne({ _id: 'api::page.page' as never });
    expect(stored?.['attributes']).to.have.keys('title', 'subtitle');
  });

  it('ends the start with its own error', async () => {
    Object.assign(globalThis, { failure: 'no licence' });
    link.unblock();
    expect(await started).to.equal('src/index.js, register: no licence');
    expect(calls).to.deep.equal(['register']);
  });

  it('does not hide that bootstrap fails', async () => {
    Object.assign(globalThis, { lateFailure: 'no plan' });
    link.unblock();
    expect(await started).to.equal('src/index.js, bootstrap: no plan');
    expect(calls).to.deep.equal(['register', 'bootstrap']);
  });

  it('does not run if the port cannot be opened meanwhile', async () => {
    const taken = { ...input.config, server: { ...input.config.server, port: Number(new URL(service.url).port) } };
    const other = await createService({ ...input, config: taken });
    expect(await startOf(other)).to.include('is in use');
    link.unblock();
    await started;
    await other.stop();
    expect(calls).to.deep.equal(['register', 'bootstrap']);
  });

  it('does not run after a stop, nor does destroy', async () => {
    await service.stop();
    expect(await started).to.equal('started');
    expect(calls).to.deep.equal([]);
  });
});
