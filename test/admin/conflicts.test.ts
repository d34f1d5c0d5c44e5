import { expect } from 'chai';
import type { PartialConfig } from '#index.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Answer, type Serving, type TestModel } from '../support/serve.js';

const localized = { i18n: { localized: true } };
const models: readonly TestModel[] = [
  { uid: 'shared.part', info: { displayName: 'part' }, attributes: { label: { type: 'string' }, data: { type: 'json' } } },
  {
    uid: 'api::memo.memo',
    kind: 'collectionType',
    collectionName: 'memos',
    info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
    attributes: { title: { type: 'string' } },
  },
  {
    uid: 'api::home.home',
    kind: 'singleType',
    collectionName: 'homes',
    info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
    attributes: { title: { type: 'string' } },
  },
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    collectionName: 'pages',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    attributes: {
      title: { type: 'string', pluginOptions: localized },
      code: { type: 'string' },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
    },
    pluginOptions: localized,
  },
];
const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const i18n_locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, ...times }));

const memos = '/content-manager/collection-types/api::memo.memo';
const pages = '/content-manager/collection-types/api::page.page';
const home = '/content-manager/single-types/api::home.home';
const users = '/content-manager/collection-types/plugin::users-permissions.user';
const fields = ['title', 'code', 'parts'];
const writes = ['read', 'create', 'update'] as const;
const permissions = ['api::memo.memo', 'api::page.page', 'api::home.home'].flatMap((subject) =>
  writes.map((action) => ({ action, subject, fields: subject.includes('page') ? fields : ['title'] })),
);

describe('two editors of one entry', () => {
  let serving: Serving;
  let send: PanelSender;

  const open = async (conflicts: 'refuse' | 'last'): Promise<void> => {
    const config: PartialConfig = { admin: { conflicts }, plugins: { i18n: { enabled: true } } };
    serving = await serveModels({ models, documents: { i18n_locales }, config });
    send = await openAdministrators(serving, { bo: [permissions] });
  };
  const saved = async (as: string, method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await send(as, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Record<string, unknown>;
  };
  const pathOf = (path: string, entry: Record<string, unknown>): string =>
    path === home ? path : `${path}/${String(entry['id'])}`;
  /** Bo saves an entry that the super admin has opened, who then saves too. */
  const saveBoth = async (path: string, values: object): Promise<readonly [first: Record<string, unknown>, last: Answer]> => {
    const opened = await saved('super', path === home ? 'PUT' : 'POST', path, values);
    const first = await saved(path === users ? 'super' : 'bo', 'PUT', pathOf(path, opened), {
      ...opened,
      title: 'first',
      provider: 'x',
    });
    return [first, await send('super', 'PUT', pathOf(path, opened), { ...opened, title: 'last' })];
  };

  describe('by default', () => {
    before(() => open('refuse'));
    after(() => serving.stop());

    const user = { username: 'ann', email: 'ann@mail.test', password: 'Password1' };
    for (const [path, values, name] of [
      [memos, { title: 'new' }, 'bo'],
      [pages, { title: 'new', code: 'x', parts: [{ label: 'a' }] }, 'bo'],
      [home, { title: 'new' }, 'bo'],
      [users, user, 'super'],
    ] as const)
      it(`${path}: refuses the second save, and says when and by whom the first one was`, async () => {
        const [first, { status, body }] = await saveBoth(path, values);
        expect(status, JSON.stringify(body)).to.equal(400);
        expect(body.error.name).to.equal('ApplicationError');
        expect(body.error.details.updatedAt).to.equal(first['updatedAt']);
        expect(body.error.details.updatedBy).to.include({ firstname: name });
        expect(body.error.message).to.include(String(first['updatedAt'])).and.include(name);
        const stored = (await send('super', 'GET', pathOf(path, first))).body;
        expect(stored.title).to.equal(first['title']);
        expect((await send('super', 'PUT', pathOf(path, first), stored)).status).to.equal(200);
      });

    it('takes a body without a time, and answers 404 for an entry that was deleted', async () => {
      const { id } = await saved('super', 'POST', memos, { title: 'x' });
      for (const updatedAt of [undefined, null, '', 'nope'])
        await saved('bo', 'PUT', `${memos}/${String(id)}`, { title: 'y', updatedAt });
      const opened = (await send('super', 'GET', `${memos}/${String(id)}`)).body;
      await send('super', 'DELETE', `${memos}/${String(id)}`);
      for (const as of ['super', 'bo']) expect((await send(as, 'PUT', `${memos}/${String(id)}`, opened)).status).to.equal(404);
    });

    it('takes saves in two locales, unless a value that they share has changed', async () => {
      const parts = [{ label: 'a', data: { id: 1 } }];
      const { id, ...en } = await saved('super', 'POST', `${pages}?locale=en`, { title: 'en', code: 'x', parts });
      const made = await saved('super', 'POST', `${pages}?locale=fr&relatedEntityId=${String(id)}`, { title: 'fr' });
      const english = (await send('super', 'GET', `${pages}/${String(id)}`)).body;
      expect(en).to.include({ code: 'x' });
      const second = await saved('super', 'PUT', `${pages}/${String(id)}`, { ...english, title: 'other' });
      const french = await saved('bo', 'PUT', `${pages}/${String(made['id'])}`, { ...made, title: 'autre' });
      const json = [{ ...(second['parts'] as object[])[0], data: { id: 2 } }];
      await saved('super', 'PUT', `${pages}/${String(id)}`, { ...second, parts: json });
      expect((await send('bo', 'PUT', `${pages}/${String(made['id'])}`, { ...french, title: 'x' })).status).to.equal(400);
      const { body } = await send('bo', 'GET', `${pages}/${String(made['id'])}`);
      expect(body.parts[0].data).to.deep.equal({ id: 2 });
    });

    it('sends no more commands than a save without a time', async () => {
      const entry = await saved('super', 'POST', memos, { title: 'x' });
      const path = pathOf(memos, entry);
      await serving.settled();
      const { updatedAt } = await saved('super', 'PUT', path, { title: 'z' });
      await serving.settled();
      const timed = await serving.countCommands(() => saved('super', 'PUT', path, { title: 'y', updatedAt }));
      await serving.settled();
      const untimed = await serving.countCommands(() => saved('super', 'PUT', path, { title: 'y' }));
      expect(timed.commands).to.deep.equal(untimed.commands);
    });
  });

  describe('with admin.conflicts: last', () => {
    before(() => open('last'));
    after(() => serving.stop());

    for (const [path, values] of [
      [memos, { title: 'new' }],
      [home, { title: 'new' }],
    ] as const)
      it(`${path}: lets the last save win`, async () => {
        const [, { status, body }] = await saveBoth(path, values);
        expect([status, body.title]).to.deep.equal([200, 'last']);
      });
  });
});
