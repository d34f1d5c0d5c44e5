import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { type Agent, clients } from './agents.js';

const relation = (kind: string, target: string) => ({ type: 'relation', relation: kind, target: `api::${target}.${target}` });
const models = [
  collectionType('author', {
    name: { type: 'string', required: true },
    posts: { ...relation('oneToMany', 'post'), mappedBy: 'author' },
  }),
  collectionType(
    'post',
    {
      title: { type: 'string', maxLength: 20, required: true },
      body: { type: 'richtext' },
      price: { type: 'integer' },
      author: { ...relation('manyToOne', 'author'), inversedBy: 'posts' },
      part: { type: 'component', component: 'shared.part' },
      zone: { type: 'dynamiczone', components: ['shared.part'] },
    },
    { options: { draftAndPublish: true, history: {} } },
  ),
  { ...collectionType('home', { title: { type: 'string' } }), kind: 'singleType' },
  {
    uid: 'shared.part',
    info: { displayName: 'Part' },
    attributes: { text: { type: 'string' }, author: relation('oneToOne', 'author') },
  },
];

for (const [revision, connect] of Object.entries(clients))
  describe(`a client of ${revision}`, () => {
    let server: Serving;
    let agent: Agent;

    before(async () => {
      server = await serveModels({ models, config: { api: { mcp: { enabled: true, public: true, publish: true } } } });
      agent = await connect(`${server.server.url}/mcp`);
    });
    after(async () => {
      await agent.close();
      await server.stop();
    });

    it('lists the tools in their order', async () => {
      const names = (await agent.tools()).map(({ name }) => name);
      expect(names).to.deep.equal('describe find get count aggregate create update delete publish unpublish'.split(' '));
    });

    it('creates, finds, changes, publishes and deletes entries', async () => {
      const author = (await agent.call('create', { type: 'author', data: { name: 'Ann' } })).content.entry;
      expect(author).to.include({ id: 1, name: 'Ann' });
      const made = await agent.call('create', { type: 'posts', data: { title: 'One', author: author.id, price: 3 } });
      expect(made.content.entry, made.text).to.include({ title: 'One', publishedAt: null });
      const { id, _version: version } = made.content.entry;
      expect((await agent.call('find', { type: 'post' })).content).to.deep.equal({ entries: [], total: 0 });
      const filters = { author: { name: { $containsi: 'ann' } }, price: { $gt: 2 } };
      const found = await agent.call('find', { type: 'post', status: 'all', filters, populate: ['author'] });
      expect(found.content.entries[0]).to.deep.include({ id, _version: version, title: 'One' });
      expect(found.content.entries[0].author).to.include({ name: 'Ann' });
      const published = await agent.call('publish', { type: 'post', id, version });
      expect(published.content.entry.publishedAt, published.text).to.be.a('string');
      const stale = await agent.call('update', { type: 'post', id, version, data: { title: 'Two' } });
      expect(stale.isError).to.equal(true);
      expect(stale.content.entry).to.deep.equal(published.content.entry);
      const next = stale.content.entry._version;
      const updated = await agent.call('update', { type: 'post', id, version: next, data: { title: 'Two' } });
      expect(updated.content.entry.title).to.equal('Two');
      expect(updated.content.previousVersion).to.equal(2);
      expect((await agent.call('get', { type: 'post', id })).content.entry).to.deep.equal(updated.content.entry);
      expect((await agent.call('count', { type: 'post', filters })).content).to.deep.equal({ count: 1 });
      const deleted = await agent.call('delete', { type: 'post', id, version: updated.content.entry._version });
      expect(deleted.content).to.deep.equal({ deleted: { type: 'post', id }, previousVersion: 3 });
    });

    it('describes types', async () => {
      const all = await agent.call('describe');
      expect(all.content.types.map(({ type }: { type: string }) => type)).to.have.members(['author', 'post', 'home']);
      const { content } = await agent.call('describe', { type: 'post' });
      expect(content.schema.properties.author).to.include({ target: 'author' });
      expect(content.schema.$defs['shared.part'].properties.text.kind).to.equal('string');
      expect(content.schema.required).to.deep.equal(['title']);
      expect(content.operators.string).to.include('$containsi');
    });
  });

const localized = { pluginOptions: { i18n: { localized: true } } };
const at = new Date(0);
const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));
const page = collectionType('page', { text: { type: 'text', ...localized }, data: { type: 'json' } }, localized);
const cafe = collectionType('cafe', { name: { type: 'string' }, place: { type: 'point' } });

describe('tools', () => {
  let server: Serving;
  let agent: Agent;

  before(async () => {
    server = await serveModels({
      models: [...models, page, cafe],
      documents: { i18n_locales: locales },
      config: { api: { mcp: { enabled: true, public: true } }, admin: { audit: { days: 1 } } },
    });
    agent = await clients['2026-07-28'](`${server.server.url}/mcp`);
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  const create = async (type: string, data: object, more: object = {}) => {
    const answer = await agent.call('create', { type, data, ...more });
    expect(answer.isError, answer.text).to.equal(false);
    return answer.content.entry;
  };

  it('answer the same as text', async () => {
    const { text, content } = await agent.call('count', { type: 'author' });
    expect(JSON.parse(text)).to.deep.equal(content);
  });

  for (const [revision, connect] of Object.entries(clients))
    it(`answer texts of any characters as they are, to a client of ${revision}`, async () => {
      const name = '$& $1 "quoted" \\ \n data: x\n\n \u2028 \ud83d\ude00 {"a":true}';
      const { id } = await create('author', { name });
      const other = await connect(`${server.server.url}/mcp`);
      const { text, content } = await other.call('get', { type: 'author', id });
      expect(content.entry.name).to.equal(name);
      expect(JSON.parse(text)).to.deep.equal(content);
      await other.close();
    });

  describe('errors', () => {
    const errors: readonly (readonly [name: string, input: object, text: string])[] = [
      ['find', {}, 'Argument type is required'],
      ['find', { type: 'post', filter: {} }, 'Argument filter is unknown; did you mean filters?'],
      ['find', { type: 'post', limit: '3' }, 'Argument limit must be of type integer'],
      ['find', { type: 'post', status: 'live' }, 'Argument status must be one of published, draft, all'],
      ['find', { type: 'pots' }, 'Unknown type pots; did you mean post?'],
      ['find', { type: 'user' }, 'Unknown type user; known: author, cafe, page, post, home'],
      ['find', { type: 'home' }, 'find is not available for home; available: get, create, update, delete'],
      ['find', { type: 'post', filters: { titel: 'x' } }, 'Invalid parameter titel; titel: did you mean title?'],
      ['find', { type: 'post', filters: { author: { nam: 'x' } } }, 'Invalid parameter nam; nam: did you mean name?'],
      [
        'find',
        { type: 'post', filters: { title: { $contain: 'x' } } },
        'Invalid parameter $contain; $contain: did you mean $contains?',
      ],
      ['find', { type: 'post', fields: ['titel'] }, 'Invalid parameter titel; titel: did you mean title?'],
      ['find', { type: 'post', populate: ['autor'] }, 'Invalid parameter autor; autor: did you mean author?'],
      ['find', { type: 'post', sort: 'titel' }, 'Invalid parameter titel; titel: did you mean title?'],
      ['find', { type: 'post', filters: { title: { eq: 'x' } } }, 'Invalid parameter eq; eq: did you mean $eq?'],
      ['find', { type: 'post', filters: { and: [{ title: 'x' }] } }, 'Invalid parameter and; and: did you mean $and?'],
      ['find', { type: 'post', fields: ['author'] }, 'Invalid parameter author; author is read by populate, not by fields'],
      ['find', { type: 'post', populate: ['title'] }, 'title is part of each entry: leave it out of populate'],
      ['find', { type: 'post', populate: { author: { filter: { name: 'x' } } } }, 'no option of populate; did you mean filters?'],
      [
        'get',
        { type: 'post', id: 1, populate: { zone: { on: { 'shared.part': { field: ['text'] } } } } },
        'did you mean fields?',
      ],
      ['find', { type: 'post', cursor: 'x' }, 'Invalid parameter cursor'],
      ['find', { type: 'author', filters: { posts: { $som: { title: 'x' } } } }, 'did you mean $some?'],
      ['find', { type: 'author', status: 'draft' }, 'author has no drafts'],
      ['get', { type: 'post' }, 'Argument id is required'],
      ['get', { type: 'post', id: 999 }, 'There is no such post'],
      ['aggregate', { type: 'post', aggregate: { sum: ['prize'] } }, 'Invalid parameter prize; prize: did you mean price?'],
      ['aggregate', { type: 'post', aggregate: { count: '*' }, limit: 0 }, 'Argument limit must be at least 1'],
      ['aggregate', { type: 'post', aggregate: { count: '*' }, limit: -1 }, 'Argument limit must be at least 1'],
      ['create', { type: 'author', data: { nam: 'x' } }, 'nam: did you mean name?'],
      ['create', { type: 'author', data: {} }, 'name must be defined'],
      ['create', { type: 'post', data: { publishedAt: '2026-01-01' } }, 'publishedAt is not part of data'],
      ['create', { type: 'post', data: {}, status: 'published' }, 'Agents create drafts here: leave out status'],
      ['update', { type: 'post', id: 999, version: '1.1', data: {} }, 'There is no such post'],
      ['update', { type: 'home', version: '1.1', data: {} }, 'home has no entry yet: use create'],
    ];
    for (const [name, input, text] of errors)
      it(`say what is wrong: ${name} ${JSON.stringify(input)}`, async () => {
        const answer = await agent.call(name, input);
        expect(answer.isError).to.equal(true);
        expect(answer.text).to.contain(text);
        expect(answer.content.error.message).to.contain(text);
      });

    it('have no hint for the name of an argument', async () => {
      const { text } = await agent.call('find', { type: 'post', sort: 'title:up' });
      expect(text).to.equal('Invalid parameter sort: the order can only be asc or desc, not "up"');
      expect((await agent.call('find', { type: 'post', pric: 1 })).text).not.to.contain('did you mean price');
    });

    it('have no hint for a place in a list, nor for a name that has little in common with others', async () => {
      const { text } = await agent.call('create', { type: 'post', data: { title: 'x', zone: [{ text: 'a' }] } });
      expect(text).to.contain('2 errors occurred').and.not.contain('did you mean');
      expect((await agent.call('find', { type: 'post', fields: ['xy'] })).text).to.equal('Invalid parameter xy');
    });

    it('refuse filters with too many levels', async () => {
      let filters: object = { title: 'x' };
      for (let depth = 0; depth < 40; depth++) filters = { $not: filters };
      expect((await agent.call('find', { type: 'post', filters })).text).to.contain('Argument filters has more than 20 levels');
    });

    it('do not offer tools that the configuration leaves out', async () => {
      const error = await agent.call('publish', { type: 'post', id: 1, version: '1.1' }).catch(String);
      expect(error).to.contain('Unknown tool: publish');
    });
  });

  describe('of lists', () => {
    before(async () => {
      for (let price = 1; price <= 7; price++) await create('post', { title: `post ${String(price)}`, price });
    });

    it('page by cursors', async () => {
      const input = { type: 'post', status: 'draft', sort: 'price:desc', fields: ['price'], limit: 3 };
      const prices: number[] = [];
      let cursor: string | undefined;
      do {
        const { content } = await agent.call('find', { ...input, ...(cursor !== undefined && { cursor }) });
        prices.push(...content.entries.map(({ price }: { price: number }) => price));
        expect(content.total).to.equal(cursor === undefined ? 7 : undefined);
        cursor = content.nextCursor;
      } while (cursor !== undefined);
      expect(prices).to.deep.equal([7, 6, 5, 4, 3, 2, 1]);
    });

    it('have the distances from a place', async () => {
      for (const lat of [49, 48]) await create('cafe', { name: 'c', place: { lng: 2, lat } });
      const filters = { place: { $near: { lng: 2, lat: 48 } } };
      const { content } = await agent.call('find', { type: 'cafe', filters, fields: ['name'] });
      const [near, far] = content.entries;
      expect(near).to.deep.include({ id: 2, name: 'c', meta: { distance: 0 } });
      expect(far.meta.distance).to.be.closeTo(111_318, 10);
      expect((await agent.call('find', { type: 'cafe' })).content.entries[0]).not.to.have.property('meta');
    });

    it('group entries', async () => {
      const input = { type: 'post', status: 'all', filters: { price: { $gte: 3 } } };
      const { content } = await agent.call('aggregate', { ...input, aggregate: { count: '*', sum: ['price'] } });
      expect(content).to.deep.equal({ groups: [{ group: {}, count: 5, sum: { price: 25 } }] });
      const draft = await agent.call('aggregate', {
        ...input,
        status: 'draft',
        aggregate: { count: '*' },
        groupBy: ['price'],
        limit: 2,
      });
      expect(draft.content.groups).to.have.length(2);
      expect(draft.content.truncated).to.equal(true);
    });

    it('send the same commands as lists over REST', async () => {
      const path = '/api/posts?pagination[cursors]=true&publicationState=preview&filters[price][$gt]=2&populate=author';
      const input = { type: 'post', status: 'all', filters: { price: { $gt: 2 } }, populate: ['author'] };
      await server.settled();
      const commands: (readonly string[])[] = [];
      for (const way of [() => server.call('GET', path), () => agent.call('find', input)]) {
        await way();
        commands.push((await server.countCommands<unknown>(way)).commands);
      }
      const [rest, tool] = commands;
      expect(rest).to.have.length.greaterThan(1);
      expect(tool).to.deep.equal(rest);
    });
  });

  describe('answers', () => {
    const long = 'é'.repeat(15_000);
    let ids: number[];
    before(async () => {
      ids = [];
      for (let index = 0; index < 4; index++) ids.push((await create('page', { text: long })).id);
    });

    it('hold as many entries as fit, and the rest on the next page', async () => {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const { text, content } = await agent.call('find', { type: 'page', ...(cursor !== undefined && { cursor }) });
        expect(Buffer.byteLength(text)).to.be.at.most(40_000);
        for (const entry of content.entries) expect(entry).to.not.have.property('_truncated');
        seen.push(...content.entries.map(({ id }: { id: number }) => id));
        cursor = content.nextCursor;
      } while (cursor !== undefined);
      expect(seen).to.deep.equal(ids);
    });

    it('cut a long text, and say so', async () => {
      const { id } = await create('page', { text: 'x'.repeat(100_000), data: { short: 'kept' } });
      for (const [name, input] of [
        ['get', { id }],
        ['find', { filters: { id } }],
      ] as const) {
        const { text, content } = await agent.call(name, { type: 'page', ...input });
        const entry = content.entry ?? content.entries[0];
        expect(Buffer.byteLength(text)).to.be.at.most(40_000);
        expect(entry._truncated).to.deep.equal(['text']);
        expect(entry.text.length).to.be.greaterThan(10_000);
        expect(entry.data).to.deep.equal({ short: 'kept' });
      }
    });

    it('leave out a value of many parts, and say so', async () => {
      const { id } = await create('page', { text: 'kept', data: Array.from({ length: 20_000 }, (_, index) => index) });
      const { content } = await agent.call('get', { type: 'page', id });
      expect(content.entry).to.deep.include({ text: 'kept', data: null, _truncated: ['data'] });
    });
  });

  describe('that write', () => {
    it('only try with dryRun', async () => {
      const tried = await agent.call('create', { type: 'author', data: { name: 'Nobody' }, dryRun: true });
      expect(tried.content.dryRun, tried.text).to.equal(true);
      expect(tried.content.entry).to.include({ name: 'Nobody' }).and.not.have.property('id');
      expect((await agent.call('count', { type: 'author', filters: { name: 'Nobody' } })).content.count).to.equal(0);
      const { id, _version: version } = await create('author', { name: 'Eve' });
      const changed = await agent.call('update', { type: 'author', id, version, data: { name: 'Mallory' }, dryRun: true });
      expect(changed.content.entry).to.include({ id, name: 'Mallory' }).and.not.have.property('_version'); // the one that was read holds
      const deleted = await agent.call('delete', { type: 'author', id, version, dryRun: true });
      expect(deleted.content).to.deep.equal({ deleted: { type: 'author', id }, dryRun: true });
      expect((await agent.call('get', { type: 'author', id })).content.entry).to.include({ name: 'Eve', _version: version });
    });

    it('check with dryRun as without', async () => {
      const tried = await agent.call('create', { type: 'author', data: {}, dryRun: true });
      expect(tried.text).to.contain('name must be defined');
    });

    it('write once with a key', async () => {
      const input = { type: 'author', data: { name: 'Once' }, key: '0123456789abcdef' };
      const first = await agent.call('create', input);
      const second = await agent.call('create', input);
      expect(second.content).to.deep.equal(first.content);
      expect((await agent.call('count', { type: 'author', filters: { name: 'Once' } })).content.count).to.equal(1);
      const other = await agent.call('create', { ...input, data: { name: 'Twice' } });
      expect(other.content.error).to.include({ status: 422, name: 'IdempotencyError' });
      await agent.call('create', { type: 'author', data: { name: 'Again' } });
      await agent.call('create', { type: 'author', data: { name: 'Again' } });
      expect((await agent.call('count', { type: 'author', filters: { name: 'Again' } })).content.count).to.equal(2);
    });

    it('create the entry of a single type, and change it', async () => {
      const entry = await create('home', { title: 'one' });
      const again = await agent.call('create', { type: 'home', data: { title: 'two' } });
      expect(again.content.error.status).to.equal(412);
      const changed = await agent.call('update', { type: 'home', version: entry._version, data: { title: 'two' } });
      expect(changed.content.entry.title, changed.text).to.equal('two');
      expect((await agent.call('get', { type: 'home' })).content.entry).to.deep.equal(changed.content.entry);
      const stale = await agent.call('delete', { type: 'home', version: entry._version });
      expect(stale.content.entry.title).to.equal('two');
    });

    it('create translations', async () => {
      const english = await create('page', { text: 'tea' });
      const french = await create('page', { text: 'thé', localizations: [english.id] }, { locale: 'fr' });
      expect(french.locale).to.equal('fr');
      const got = await agent.call('get', { type: 'page', id: english.id, locale: 'fr' });
      expect(got.content.entry, got.text).to.include({ id: french.id, text: 'thé' });
    });

    it('leave the name of the client in the audit', async () => {
      const { id } = await create('author', { name: 'Audited' });
      const [row] = await server.database.db.collection('_content_audit').find({ of: id, uid: 'api::author.author' }).toArray();
      expect(row).to.include({ action: 'create', client: 'test agent' });
    });
  });
});
