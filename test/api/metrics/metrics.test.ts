import { expect } from 'chai';
import { createServer, type AddressInfo } from 'node:net';
import { createConfig } from '#settings/create-config.js';
import { sectionsWith } from '#settings/sections.js';
import { features } from '#features.js';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { createLog } from '../../support/create-log.js';
import { readMetrics, type Metric } from './read-metrics.js';

const sum = (metric: Metric | undefined, name: string, labels: Readonly<Record<string, string>>): number =>
  (metric?.samples ?? [])
    .filter((sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((total, { value }) => total + value, 0);

describe('metrics', () => {
  let server: ServingAccounts;
  const read = async (token = adminToken) => {
    const answer = await fetch(`${server.server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  before(async () => {
    server = await serveAccounts({ config: { server: { metrics: 'token' } } });
    await server.admin('GET', '/status');
    await server.as(null, 'GET', '/api/articles?filters[title]=secret-value');
    await server.as(null, 'GET', '/unknown/path-of-a-client');
    await server.as(null, 'GET', '/api/articles/4711');
  });
  after(() => server.stop());

  it('are in the text format, under the names of OpenTelemetry', async () => {
    const { status, type, text } = await read();
    expect([status, type]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const metrics = readMetrics(text);
    expect([...metrics.keys()]).to.include.members([
      ...['http_server_request_duration_seconds', 'http_server_active_requests', 'db_client_operation_duration_seconds'],
      ...['nodejs_eventloop_delay_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'],
      ...['mangrove_budget_refusals_total', 'mangrove_queue_running', 'mangrove_queue_waiting', 'mangrove_models'],
      ...[
        'mangrove_changes_lag_seconds',
        'mangrove_jobs_total',
        'mangrove_jobs_duration_seconds',
        'mangrove_webhook_deliveries_total',
      ],
    ]);
    const requests = metrics.get('http_server_request_duration_seconds');
    const refused = { http_request_method: 'GET', http_response_status_code: '403' };
    expect(sum(requests, 'http_server_request_duration_seconds_count', refused)).to.equal(2);
    expect(sum(metrics.get('http_server_active_requests'), 'http_server_active_requests', {})).to.equal(1);
    expect(sum(metrics.get('mangrove_models'), 'mangrove_models', { state: 'active' })).to.be.greaterThan(1);
    const commands = metrics.get('db_client_operation_duration_seconds');
    expect(sum(commands, 'db_client_operation_duration_seconds_count', { db_operation_name: 'find' })).to.be.greaterThan(0);
  });

  it('have no paths, ids or values of clients in their labels', async () => {
    const labels = ((await read()).text.match(/\{[^}]*\}/g) ?? []).join('\n');
    expect(labels).to.include('http_route');
    for (const word of ['secret-value', 'path-of-a-client', '4711', server.database.name]) expect(labels).to.not.contain(word);
  });

  it('are for admin tokens only', async () => {
    expect((await read('wrong')).status).to.equal(401);
    expect((await server.as(null, 'GET', '/metrics')).status).to.equal(401);
  });

  it('have a port of their own if that is set, and no path of the service', async () => {
    const port = await freePort();
    const other = await serveAccounts({ config: { server: { metrics: { port } } } });
    try {
      const [own, wrong, inService] = await Promise.all([
        fetch(`http://127.0.0.1:${String(port)}/metrics`),
        fetch(`http://127.0.0.1:${String(port)}/api/articles`),
        fetch(`${other.server.url}/metrics`),
      ]);
      expect([own.status, wrong.status, inService.status]).to.deep.equal([200, 404, 404]);
      expect(readMetrics(await own.text()).has('mangrove_models')).to.equal(true);
    } finally {
      await other.stop();
    }
    expect(await fetch(`http://127.0.0.1:${String(port)}/metrics`).catch(() => 'closed')).to.equal('closed');
  });

  for (const [written, isRight] of [
    ['token', true],
    ['9464', true],
    [9464, true],
    [false, true],
    [{ port: 1 }, true],
    [true, false],
    ['all', false],
    [{ port: 0 }, false],
    [{ prot: 1 }, false],
  ] as const)
    it(`the setting ${JSON.stringify(written)} is ${isRight ? 'accepted' : 'refused'}`, () => {
      const make = () => createConfig({ server: { metrics: written } } as never, sectionsWith(features));
      if (isRight) expect(make).to.not.throw();
      else expect(make).to.throw(/server: metrics must be false, token, or a port/);
    });
});

/** Returns a port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on a port
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/** Lists, and what the log says of each: what is compared and sorted, and the index that serves it. */
const slow: readonly (readonly [query: string, shape: string, index: string | null])[] = [
  [
    'filters[title][$containsi]=secret&filters[notes][text]=hidden&sort=price:desc',
    'title containsi and notes(text eq), sorted by price desc, _id asc',
    null,
  ],
  ['filters[title]=secret', 'title eq', null],
  ['filters[id]=47110815', '_id eq', '_id_'],
  ['sort=createdAt:desc', 'sorted by createdAt desc', 'mangrove_createdAt-__id-'],
];

describe('slow requests', () => {
  let log: Awaited<ReturnType<typeof createLog>>;
  let server: ServingAccounts;
  before(async () => {
    log = await createLog();
    server = await serveAccounts({ config: { server: { slowRequest: 1 }, api: { open: true } }, logger: log.logger });
  });
  after(() => server.stop());

  for (const [query, shape, index] of slow)
    it(`${query} is reported with its lists and commands, without values`, async () => {
      const before = log.lines.length;
      await server.as(null, 'GET', `/api/articles?${query}`);
      const line = log.lines.slice(before).find(({ msg }) => msg === 'request slow') ?? {};
      expect(line).to.include({ method: 'GET', status: 200, route: '/api/articles' });
      const [list] = line['lists'] as { readonly shape: string }[];
      expect(list).to.include({ type: 'api::article.article', shape, index });
      expect(line['commands']).to.be.an('array').that.is.not.empty;
      for (const value of ['secret', 'hidden', '47110815']) expect(JSON.stringify(line)).to.not.contain(value);
    });
});
