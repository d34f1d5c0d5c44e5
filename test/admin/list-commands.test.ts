import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { commandsDuring, explain } from '../support/explain.js';

const localized = { i18n: { localized: true } };
const models = [
  collectionType('note', { title: { type: 'string' } }),
  collectionType('story', { title: { type: 'string', index: true } }, { options: { draftAndPublish: true } }),
  collectionType(
    'page',
    { title: { type: 'string', index: true, pluginOptions: localized } },
    { pluginOptions: localized, options: { draftAndPublish: true } },
  ),
];

const rows = (values: (index: number) => object) =>
  Array.from({ length: 3_000 }, (_, index) => ({
    ...{ _id: index + 1, title: `title ${String((index * 7) % 3_000)}`, createdAt: new Date(index) },
    ...values(index),
  }));
const documents = {
  notes: rows(() => ({})),
  storys: rows((index) => ({ publishedAt: index % 2 === 0 ? null : new Date() })),
  pages: rows((index) => ({ locale: 'en', _group: index + 1 })),
};

/** Types whose main field has an index. */
const indexed = ['story', 'page'];

const permissions = ['note', 'story', 'page'].map((name) => ({
  action: 'read' as const,
  subject: `api::${name}.${name}`,
  fields: ['title'],
  ...(name === 'page' && { locales: ['en'] }),
}));

describe('lists of the panel', () => {
  let serving: ServingAccounts;
  let send: PanelSender;
  before(async () => {
    serving = await serveAccounts({ models, documents });
    await serving.settled();
    send = await openAdministrators(serving, { editor: [permissions] });
  });
  after(() => serving.stop());

  const open = (as: string, name: string) =>
    commandsDuring(serving.server.backend?.store.database.client, ['find', 'aggregate', 'count'], async () => {
      const path = `/content-manager/collection-types/api::${name}.${name}?page=1&pageSize=10&sort=title:ASC`;
      const { status, body } = await send(as, 'GET', path);
      expect([status, body.results.length, body.pagination.total]).to.deep.equal([200, 10, 3_000]);
    });

  for (const as of ['super', 'editor'])
    for (const name of indexed)
      it(`a ${name} list sorted by its main field looks at no other documents than its page, as ${as}`, async () => {
        await open(as, name);
        const { commands } = await open(as, name);
        const [page, ...others] = commands.filter((command) => command['find'] === `${name}s` && 'sort' in command);
        expect(others).to.deep.equal([]);
        expect((await explain(serving.database.db, page ?? {})).documentsExamined).to.equal(10);
      });

  for (const as of ['super', 'editor'])
    it(`the total of a localized type is kept for ${as}`, async () => {
      await open(as, 'page');
      const { commands } = await open(as, 'page');
      expect(commands.map((command) => Object.keys(command)[0])).to.deep.equal(['find', 'find']);
    });

  it('a list sorted by a main field without an index is reported, with the index that it lacks', async () => {
    await open('editor', 'note');
    const { queries } = (await serving.admin('GET', '/status')).body.data;
    expect(queries).to.have.length(1);
    expect(queries[0]).to.deep.include({ uid: 'api::note.note', shape: 'sorted by title asc', unindexed: true });
    expect(queries[0].suggestedIndex).to.deep.include({
      keys: ['title'],
      command: 'npx mangrove models index add api::note.note title',
    });
  });
});
