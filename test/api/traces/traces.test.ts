import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { ConfigError } from '#settings/setting.js';
import { loadTraces } from '#api/traces/load-traces.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { Receiver } from '../../support/receiver.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentId}-01`;

/** Requests, and the span that each has: its name, attributes, and whether it is an error. */
const requests: readonly (readonly [at: string, name: string, attributes: object])[] = [
  [
    'GET /api/articles/1?populate=*',
    'GET /api/articles/:id',
    {
      'http.request.method': 'GET',
      'http.route': '/api/articles/:id',
      'http.response.status_code': 404,
      'url.path': '/api/articles/1',
    },
  ],
  ['GET /api/articles', 'GET /api/articles', { 'http.route': '/api/articles', 'http.response.status_code': 200 }],
  ['GET /api/nothing', 'GET /api/:name', { 'http.route': '/api/:name', 'http.response.status_code': 404 }],
  ['GET /nothing', 'GET', { 'http.response.status_code': 404 }],
];

/** Values of `traceparent`, and whether they are taken. */
const headers: readonly (readonly [string, boolean])[] = [
  [traceparent, true],
  [`00-${traceId}-${parentId}-00`, false],
  [`01-${traceId}-${parentId}-01-more`, true],
  [`00-${traceId}-${parentId}-01-more`, false],
  [`ff-${traceId}-${parentId}-01`, false],
  [`00-${'0'.repeat(32)}-${parentId}-01`, false],
  [`00-${traceId}-${'0'.repeat(16)}-01`, false],
  ['garbage', false],
];

describe('traces', () => {
  let serving: ServingAccounts;
  const exporter = new InMemorySpanExporter();
  const ended = (isMeant: (span: ReadableSpan) => boolean): ReadableSpan[] => exporter.getFinishedSpans().filter(isMeant);
  const server = (span: ReadableSpan): boolean => span.kind === api.SpanKind.SERVER;
  before(async () => {
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    serving = await serveAccounts({
      config: { server: { traces: true }, api: { open: true }, webhooks: { allowPrivate: true } },
    });
  });
  after(async () => {
    await serving.stop();
    api.trace.disable();
    api.context.disable();
  });
  beforeEach(() => {
    exporter.reset();
  });

  /** Sends a request, and waits for its span. */
  const send = async (at: string, given: Readonly<Record<string, string>> = {}, body?: unknown): Promise<ReadableSpan> => {
    const [method = '', path = ''] = at.split(' ');
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${serving.server.url}${path}`, {
      method,
      headers: { ...given, 'content-type': 'application/json' },
      ...sent,
    });
    await answer.text();
    const isIts = (span: ReadableSpan): boolean =>
      server(span) && span.attributes['mangrove.request_id'] === answer.headers.get('x-request-id');
    while (ended(isIts).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [span] = ended(isIts);
    if (span === undefined) throw new Error('there is no span');
    return span;
  };

  for (const [at, name, attributes] of requests)
    it(`${at} is the span ${name}`, async () => {
      const span = await send(at);
      expect(span.name).to.equal(name);
      expect(span.attributes).to.deep.include(attributes);
      expect(span.status.code).to.equal(api.SpanStatusCode.UNSET);
    });

  for (const [value, isTaken] of headers)
    it(`traceparent ${value} is ${isTaken ? 'taken' : 'not taken, or not sampled'}`, async () => {
      if (value.endsWith('-00')) {
        await fetch(`${serving.server.url}/api/articles`, { headers: { traceparent: value } });
        expect(ended((span) => server(span) && span.spanContext().traceId === traceId)).to.deep.equal([]);
        return;
      }
      const span = await send('GET /api/articles', { traceparent: value, tracestate: 'vendor=1' });
      expect(span.spanContext().traceId === traceId).to.equal(isTaken);
      expect(span.parentSpanContext?.spanId).to.equal(isTaken ? parentId : undefined);
      expect(span.spanContext().traceState?.serialize()).to.equal(isTaken ? 'vendor=1' : undefined);
    });

  it('of commands are children of the request, without values', async () => {
    const span = await send('GET /api/articles?filters[title]=secret&pagination[withCount]=false', { traceparent });
    const [command] = ended(
      ({ parentSpanContext, name }) => parentSpanContext?.spanId === span.spanContext().spanId && name === 'find articles',
    );
    expect(command?.kind).to.equal(api.SpanKind.CLIENT);
    expect(command?.attributes).to.deep.equal({
      'db.system.name': 'mongodb',
      'db.operation.name': 'find',
      'db.collection.name': 'articles',
    });
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))).to.not.contain('secret');
  });

  it('of a transaction have its commit', async () => {
    const body = { transaction: true, requests: [{ method: 'POST', path: '/articles', body: { data: { title: 'b' } } }] };
    const span = await send('POST /api/batch', { traceparent }, body);
    const children = ended(({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId);
    expect(children.map(({ name }) => name)).to.include.members(['insert articles', 'commitTransaction']);
  });

  it('of jobs have the commands of the run', async () => {
    const jobs = serving.server.backend?.jobs;
    await new Promise<void>((resolve, reject) => {
      const run = (): Promise<void> => {
        const active = api.trace.getActiveSpan();
        if (active === undefined) reject(new Error('code of a job finds no span'));
        return Promise.resolve(resolve());
      };
      jobs?.start({ name: 'traced', every: 60_000, isEager: true, lease: true, run });
    });
    while (ended(({ name }) => name === 'job traced').length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [span] = ended(({ name }) => name === 'job traced');
    expect(span?.attributes).to.deep.equal({ 'mangrove.job': 'traced' });
  });

  it('go on in webhooks', async () => {
    const receiver = new Receiver();
    await receiver.listen();
    try {
      await serving.admin('POST', '/webhooks', {
        name: 'w',
        url: receiver.url(),
        events: ['entry.create'],
        types: [],
        enabled: true,
      });
      const span = await send('POST /api/articles', { traceparent }, { data: { title: 'told' } });
      const [received] = await receiver.until(1);
      const [, sentTrace, sentSpan] = String(received?.headers['traceparent']).split('-');
      expect(sentTrace).to.equal(traceId);
      while (ended(({ name }) => name === 'POST').length === 0) await new Promise((resolve) => setImmediate(resolve));
      const [call] = ended(({ name }) => name === 'POST');
      expect(sentSpan).to.equal(call?.spanContext().spanId);
      expect(call?.parentSpanContext?.spanId).to.equal(span.spanContext().spanId);
    } finally {
      await receiver.close();
    }
  });

  it('need the package', async () => {
    const error: unknown = await loadTraces(() => Promise.reject(new Error('not found'))).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.contain('npm install @opentelemetry/api');
  });
});
