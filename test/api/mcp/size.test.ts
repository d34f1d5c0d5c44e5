import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels } from '../../support/serve.js';
import { clients } from './agents.js';

const attributes = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`attribute${String(index)}`, { type: 'string' }]),
);
const models = Array.from({ length: 40 }, (_, index) =>
  collectionType(`kind-${String(index)}`, attributes, { options: { draftAndPublish: true } }),
);

describe('the tools for 40 types', () => {
  for (const [revision, connect] of Object.entries(clients))
    it(`are listed in less than 12 kB to clients of ${revision}`, async () => {
      const server = await serveModels({ models, config: { api: { mcp: { enabled: true, public: true, publish: true } } } });
      const agent = await connect(`${server.server.url}/mcp`);
      const tools = await agent.tools();
      expect(tools).to.have.length(10);
      expect(JSON.stringify(tools).length).to.be.below(12_000);
      const { content } = await agent.call('describe');
      expect(content.types).to.have.length(40);
      await agent.close();
      await server.stop();
    });
});
