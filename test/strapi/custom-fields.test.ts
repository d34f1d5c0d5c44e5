import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const field = (customField: string) => ({ type: 'customField', customField });

const memo = {
  kind: 'collectionType',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  attributes: {
    stars: field('plugin::rating.stars'),
    tone: field('global::tone'),
    day: field('plugin::rating.day'),
    set: field('plugin::rating.set'),
  },
};

const files = {
  'config/plugins.js': "module.exports = { rating: { enabled: true, resolve: './src/plugins/rating' } };",
  'src/plugins/rating/strapi-server.js': `module.exports = { register({ strapi }) {
    strapi.customFields.register([{ name: 'stars', plugin: 'rating', type: 'integer', inputSize: { default: 4, isResizable: true } },
      { name: 'day', plugin: 'rating', type: 'date' }, { name: 'set', plugin: 'rating', type: 'text' }]);
  } };`,
  'src/index.js': `module.exports = { register({ strapi }) {
    globalThis.projectStrapi = strapi;
    strapi.customFields.register({ name: 'tone', type: 'string' });
  } };`,
};

/** A body, and the status of its create. */
const bodies: readonly (readonly [data: object, status: number])[] = [
  [{ stars: 3, tone: 'low', day: '2026-01-02' }, 200],
  [{ stars: 'three' }, 400],
  [{ tone: { a: 1 } }, 400],
  [{ day: 'today' }, 400],
  [{ set: { a: 1 } }, 200],
];

/** Fields that are refused, as in Strapi v4. */
const refused: readonly (readonly [field: unknown, message: string])[] = [
  [{ type: 'string' }, "Custom fields require a 'name' and 'type' key"],
  [undefined, "Custom fields require a 'name' and 'type' key"],
  [
    { name: 'a', type: 'relation' },
    "Custom field type: 'relation' is not a valid Strapi type or it can't be used with a Custom Field",
  ],
  [
    { name: 'a', type: 'blocks' },
    "Custom field type: 'blocks' is not a valid Strapi type or it can't be used with a Custom Field",
  ],
  [{ name: '1a', type: 'string' }, "Custom field name: '1a' is not a valid object key"],
  [{ name: 'tone', type: 'string' }, "Custom field: 'global::tone' has already been registered"],
];

describe('strapi.customFields.register', () => {
  let serving: ServedProject;
  before(async () => {
    const api = { customFields: { 'plugin::rating.set': 'json' } };
    serving = await serveProject(files, { models: [{ uid: 'api::memo.memo', ...memo }], config: { api } });
  });
  after(() => serving.stop());

  for (const [data, status] of bodies)
    it(`stores fields as their type: ${JSON.stringify(data)}`, async () => {
      const answer = await serving.call('POST', '/api/memos', { data });
      expect(answer.status).to.equal(status);
      if (status === 200) expect(answer.body.data.attributes).to.deep.include(data);
    });

  for (const [given, message] of refused)
    it(`refuses ${JSON.stringify(given)}`, () => {
      expect(() => void serving.strapi.customFields.register(given)).to.throw(message);
    });
});
