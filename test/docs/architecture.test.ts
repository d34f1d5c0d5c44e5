import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { bindPlan } from '#model/query/bind-plan.js';
import { parseQuery } from '#model/query/parse-query.js';
import { parseQueryString } from '#http/query-string.js';
import { isRecord } from '#base/values.js';
import { defaultLimits } from '../support/default-limits.js';
import { bookshopModels } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';
import { stockedBookshop } from '../support/stocked-bookshop.js';
import { contextOf } from '../support/things.js';

const adminToken = 'an-admin-token-of-at-least-32-characters';
const page = readFileSync('docs/architecture.md', 'utf8');

/** The requests of the page, each with the JSON blocks that follow it. */
const examples = page
  .split('```http\nGET ')
  .slice(1)
  .map((part) => {
    const [path = ''] = part.split('\n');
    const blocks = [...part.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json) as unknown);
    return { path, blocks };
  });

/** What is the same in each command, or says only how long its reply may be. */
const general = new Set(['maxTimeMS', 'cursor', 'batchSize', 'allowDiskUse']);

/** Types and attributes by their names, and only what differs from the usual. */
const shorten = (key: string, value: unknown): unknown => {
  if (key === 'link' && isRecord(value)) return value['name'];
  if (key === 'target' && isRecord(value)) return value['uid'];
  return value === null || value === false ? undefined : value;
};

describe('the examples of docs/architecture.md', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({
      models: bookshopModels(),
      documents: stockedBookshop,
      config: { admin: { token: adminToken }, api: { open: true, limits: { idsResolved: 50 } } },
    });
  });
  after(() => serving.stop());

  it('are there', () => {
    expect(examples.map(({ blocks }) => blocks.length)).to.deep.equal([3, 1, 1, 1]);
  });

  it('show the filter and the condition of a query string', () => {
    const [{ path = '', blocks: [filter, condition] = [] } = {}] = examples;
    const { backend } = serving.server;
    if (backend === null) throw new Error('the database did not answer');
    const query = parseQuery(
      parseQueryString(path.split('?')[1] ?? '', { parameters: 100, queryDepth: 20, listValues: 100 }),
      defaultLimits,
    );
    if (process.env['SHOW']) console.log(JSON.stringify(query.filter));
    const { bind } = contextOf(serving.database, backend.models.snapshot.registry);
    const type = bind.registry.types.get('api::review.review');
    if (type === undefined) throw new Error('there are no reviews');
    const bound = bindPlan(query, type, bind).condition;
    if (process.env['SHOW']) console.log(JSON.stringify(bound, shorten));
    expect(query.filter).to.deep.equal(filter);
    expect(JSON.parse(JSON.stringify(bound, shorten))).to.deep.equal(condition);
  });

  for (const { path, blocks } of examples)
    it(`show the commands of ${path}`, async () => {
      const headers = { authorization: `Bearer ${adminToken}` };
      const response = await fetch(`${serving.server.url}${path}&explain=true`, { headers });
      const { meta } = (await response.json()) as {
        readonly meta: { readonly explain: { readonly commands: readonly { readonly command: object }[] } };
      };
      const sent = meta.explain.commands.map(({ command }) =>
        Object.fromEntries(Object.entries(command).filter(([key]) => !general.has(key))),
      );
      if (process.env['SHOW']) console.log(JSON.stringify(sent));
      expect(sent).to.have.deep.members(blocks.at(-1) as object[]);
    });
});
