import { expect } from 'chai';
import { ApiError } from '#base/errors.js';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import { text } from '#http/json-schema.js';
import { answers, errorAnswers } from '#http/operation.js';
import type { Step } from '#http/route.js';
import { limited } from '#http/steps/counted.js';
import { keyed } from '#http/steps/keyed.js';
import { serveModels, type Serving } from '../support/serve.js';

const errors = { 413: { name: 'TooHeavy', description: 'The parcel is too heavy' } };

/** A step with a header, a parameter of its own in the document, and an error. */
const weighed: Step = {
  name: 'weight',
  stage: 'check',
  around: (rest) => (call, ctx) => {
    if (Number(ctx.req.headers['x-weight'] ?? 0) > 10) throw new ApiError(413, 'WeightError', 'too heavy');
    return rest(call, ctx);
  },
  describe: () => ({ parameters: [{ $ref: '#/components/parameters/Weight' }], responses: errorAnswers(errors) }),
  defines: { parameters: { Weight: { name: 'X-Weight', in: 'header', schema: text } }, errors },
};

/** Answers reads as well, which no step but the limit of attempts refuses. */
const parcels: Feature = {
  name: 'parcels',
  routes: () =>
    ['GET', 'POST'].map((method) => ({
      method: method as 'GET' | 'POST', // of the list
      path: '/api/parcels',
      action: 'anybody',
      operation: { id: `${method}Parcel`, summary: 'A parcel', tag: 'Parcels', answers: answers(text) },
      steps: [keyed.part, weighed, limited('code:parcel')],
      handle: () => ({ body: method }),
    })),
};

describe('the steps of a row', () => {
  let serving: Serving;
  before(async () => {
    const ratelimit = { enabled: true, interval: 600_000, max: 5 };
    serving = await serveModels({
      models: [],
      features: [...features, parcels],
      config: { plugins: { 'users-permissions': { config: { ratelimit } } } },
    });
  });
  after(() => serving.stop());

  const send = async (method: string, headers: Readonly<Record<string, string>>, query = ''): Promise<string> => {
    const response = await fetch(`${serving.server.url}/api/parcels${query}`, { method, headers });
    const body = await response.text();
    return response.ok ? body : `${String(response.status)} ${String(JSON.parse(body).error.message)}`;
  };

  const heavy = { 'x-weight': '11' };
  const condition = { 'if-match': '"1"' };
  const key = { 'idempotency-key': '' };
  const reserved = '?facets=1';
  const cases: readonly (readonly [method: string, headers: Readonly<Record<string, string>>, query: string, answer: string])[] =
    [
      ['GET', {}, '', 'GET'],
      ['GET', { ...condition, ...key }, '', 'GET'],
      ['POST', { ...heavy, ...condition, ...key }, reserved, '400 If-Match is not supported by this request'],
      ['POST', { ...heavy, ...key }, reserved, '400 Invalid parameter facets: this request does not support it'],
      ['POST', { ...heavy, ...key }, '', '413 too heavy'],
      ['POST', { ...heavy, ...condition }, '', '429 Too many requests, please try again later.'],
    ];

  for (const [method, headers, query, answer] of cases)
    it(`${method} ${query} with ${Object.keys(headers).join(', ') || 'no header'} is answered by ${answer}`, async () => {
      expect(await send(method, headers, query)).to.equal(answer);
    });

  it('are in the OpenAPI document with their parameters and errors', async () => {
    const { body } = await serving.call('GET', '/api/openapi.json');
    const { parameters, responses } = body.paths['/api/parcels'].post;
    expect(parameters).to.deep.equal(['Weight', 'IdempotencyKey'].map((name) => ({ $ref: `#/components/parameters/${name}` })));
    expect(Object.keys(responses)).to.deep.equal(['200', '400', '401', '403', '404', '409', '413', '422', 'default']);
    expect(body.components.parameters).to.include.keys('Weight', 'IdempotencyKey');
    expect(body.components.responses).to.include.keys('TooHeavy', 'UnderWay', 'PreconditionFailed');
  });
});
