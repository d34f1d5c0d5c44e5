import { expect } from 'chai';
import { serveModels, type Serving } from '../../support/serve.js';
import { Draw } from '../../content/rights/no-leak/draw.js';
import { documentsOf, makeLibrary, models } from './library.js';
import { answerNaively } from './oracle.js';
import { makeQuestion, spell } from './questions.js';
import { answerTree, spellTree } from './trees.js';

// QUESTIONS=20000 npx mocha test/api/aggregate/random-groups.long.ts asks as many
const [seed, count] = [Number(process.env['SEED'] ?? 26), Number(process.env['QUESTIONS'] ?? 1_000)];

describe(`random questions for groups (SEED=${String(seed)} QUESTIONS=${String(count)})`, () => {
  const draw = new Draw(seed);
  const random = (): number => draw.whole(2 ** 30) / 2 ** 30;
  const library = makeLibrary(random, 80);
  let server: Serving;
  before(async () => {
    const graphql = { config: { connections: true, depthLimit: 20 } };
    const config = { api: { rest: { maxLimit: 1000 } }, plugins: { graphql } };
    server = await serveModels({ models, documents: documentsOf(library), config });
  });
  after(() => server.stop());

  it('have the answers of a naive calculation', async () => {
    for (let n = 0; n < count; n++) {
      const question = makeQuestion(random);
      const expected = answerNaively(question, library, { seesHiddenTags: true });
      const path = `/api/volumes/aggregate?${spell(question)}`;
      const { status, body } = await server.call('GET', path);
      expect(status, `${path}\n${JSON.stringify(body)}`).to.equal(200);
      expect(body.data, path).to.deep.equal(expected.slice(0, 1000));
      expect(body.meta.pagination.total, path).to.equal(Math.min(expected.length, 1000));
      expect(body.meta.truncated ?? false, path).to.equal(expected.length > 1000);
    }
  });

  it('have the same answers as trees in GraphQL', async () => {
    for (let n = 0; n < count / 4; n++) {
      const questions = [makeQuestion(random), makeQuestion(random)] as const;
      const query = spellTree(questions);
      const { status, body } = await server.call('POST', '/graphql', { query });
      const expected = answerTree(questions, library, { seesHiddenTags: true });
      expect(status, query).to.equal(200);
      if (expected === null) expect(body.errors[0].message, query).to.contain('more than 1000 groups');
      else expect(body, query).to.deep.equal({ data: { volumes_connection: expected } });
    }
  });
});
