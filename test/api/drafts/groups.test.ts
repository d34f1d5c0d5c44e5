import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const options = { draftAndPublish: true, drafts: 'beside' };
const models = [
  collectionType('topic', { name: { type: 'string' } }, { options }),
  collectionType('page', { topic: { type: 'relation', relation: 'manyToOne', target: 'api::topic.topic' } }, { options }),
];

describe('groups of entries with drafts beside them', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, config: { plugins: { graphql: { config: { connections: true } } } } });
    await serving.call('POST', '/api/topics', { data: { name: 'live' } });
    await serving.call('PUT', '/api/topics/1?status=draft', { data: { name: 'draft' } });
    await serving.call('POST', '/api/pages', { data: { topic: 1 } });
  });
  after(() => serving.stop());

  for (const [state, name] of [
    ['live', 'live'],
    ['preview', 'draft'],
  ] as const)
    it(`show the related entries of the state ${state}, over REST and GraphQL`, async () => {
      const { body } = await serving.call('GET', `/api/pages/aggregate?groupBy=topic.name&publicationState=${state}`);
      expect(body.data).to.deep.equal([{ group: { topic: { id: 1, name } }, count: 1 }]);
      const query = `{ pages_connection(publicationState: ${state.toUpperCase()}) {
        groupBy { topic { key entry { attributes { name } } } }
      } }`;
      const answer = (await serving.call('POST', '/graphql', { query })).body;
      expect(answer.data.pages_connection.groupBy.topic).to.deep.equal([{ key: '1', entry: { attributes: { name } } }]);
    });
});
