import { expect } from 'chai';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { stockedBookshop } from '../../support/stocked-bookshop.js';

const adminToken = 'an-admin-token-of-at-least-32-characters';

/** Lists, the way in which they are read, and their commands in the order of the alphabet. */
const lists: readonly (readonly [path: string, way: string, commands: readonly string[]])[] = [
  ['/api/authors?fields=name&pagination[withCount]=false', 'order of the sort', ['find authors']],
  ['/api/reviews?filters[rating]=3&fields=rating', 'one pass', ['aggregate reviews', 'find reviews']],
  [
    '/api/reviews?filters[book][title]=Book%2012&fields=rating&pagination[withCount]=false',
    'from related entries',
    ['aggregate books'],
  ],
  ['/api/authors?filters[agent][name]=no-such&fields=name', 'page and total from related entries', ['aggregate houses']],
  ['/api/authors?filters[agent][name]=no-such&fields=name&sort=agent.name', 'no entry', ['find houses']],
  ['/api/reviews/aggregate?groupBy=rating', 'groups', ['aggregate reviews']],
  [
    '/api/reviews?facets=rating&fields=rating&pagination[withCount]=false',
    'order of the sort',
    ['aggregate reviews', 'find reviews'],
  ],
  ['/api/authors?sort=agent.name&fields=name&pagination[withCount]=false', 'computed order', ['aggregate authors']],
];

/** Requests, and the status and a part of the message of their refusal. */
const refused: readonly (readonly [path: string, token: string | null, status: number, message: string])[] = [
  ['/api/authors?explain=true', null, 403, 'explain requires an admin token'],
  ['/api/authors?explain=yes', adminToken, 400, 'Invalid parameter explain'],
  ['/api/reviews/aggregate?explain=true', null, 403, 'explain requires an admin token'],
  ['/api/reviews/aggregate?explain=yes', adminToken, 400, 'Invalid parameter explain'],
  ['/api/authors/1?explain=true', adminToken, 400, 'only lists and groups are explained'],
];

describe('explain=true', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({
      models: bookshopModels(),
      documents: stockedBookshop,
      config: { admin: { token: adminToken } },
    });
  });
  after(() => serving.stop());

  const ask = async (path: string, token: string | null) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${serving.server.url}${path}`, { headers });
    return { status: response.status, body: (await response.json()) as any }; // eslint-disable-line @typescript-eslint/no-explicit-any -- answers of any form
  };

  for (const [path, way, commands] of lists)
    it(`${path}: ${way}`, async () => {
      const { status, body } = await ask(`${path}&explain=true`, adminToken);
      const plain = await ask(path, null);
      const { explain, ...meta } = body.meta;
      expect({ status, data: body.data, meta }).to.deep.equal({ status: 200, ...plain.body });
      expect(explain.way).to.equal(way);
      const names = explain.commands.map(({ command }: { command: object }) => Object.entries(command)[0]?.join(' '));
      expect(names.filter((name: string) => !name.startsWith('count')).sort()).to.deep.equal(commands);
      for (const { plan } of explain.commands) expect(plan).to.have.all.keys('index', 'keysExamined', 'documentsExamined', 'ms');
    });

  it('returns what the server did for each command, and the option that would create an index', async () => {
    const { body } = await ask('/api/reviews?filters[rating]=3&pagination[withCount]=false&explain=true', adminToken);
    expect(body.meta.explain.commands.length).to.be.within(1, 2);
    expect(body.meta.explain.commands[0].plan.documentsExamined).to.be.within(1, 600);
    expect(body.meta.explain.advice).to.equal('no index leads to rating ("index": true)');
  });

  it('names the attributes that the filters of groups lack an index for', async () => {
    const { body } = await ask('/api/reviews/aggregate?filters[rating]=3&groupBy=book&explain=true', adminToken);
    expect(body.meta.explain.advice).to.equal('no index leads to rating ("index": true)');
  });

  it('is ignored as false', async () => {
    expect((await ask('/api/authors?explain=false', null)).body.meta).to.have.all.keys('pagination');
  });

  for (const [path, token, status, message] of refused)
    it(`${path} ${token === null ? 'without a token' : 'by an admin'}: ${String(status)}`, async () => {
      const { status: answered, body } = await ask(path, token);
      expect(answered).to.equal(status);
      expect(body.error.message).to.contain(message);
    });

  it('does not let admin tokens read otherwise', async () => {
    expect((await ask('/api/authors', adminToken)).status).to.equal(401);
  });
});
