import { expect } from 'chai';
import { rowRule } from '#content/rights/role-access.js';
import { create } from '#content/create.js';
import { update } from '#content/update.js';
import type { ContentContext } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { fullAccess } from '#model/query/access.js';
import { emptyQuery } from '#model/query/ast.js';
import { defaultLimits } from '../../support/default-limits.js';
import { serveAccounts, type ServingAccounts } from './serve-accounts.js';

const article = 'api::article.article';
const note = 'api::note.note';
const all = ['find', 'findOne', 'create', 'update', 'delete'];
const actions = [article, note].flatMap((uid) => all.map((action) => `${uid}.${action}`));
const auth = (name: string): string => `plugin::users-permissions.auth.${name}`;
const own = { owner: { id: { $eq: '$user.id' } } };

interface User {
  readonly id: number;
  readonly jwt: string;
  readonly role: number;
}

describe('row rules of a role on writes', () => {
  let server: ServingAccounts;
  let bob: User;
  /** May not see users. */
  let blind: User;
  let seeing: User;

  before(async () => {
    server = await serveAccounts();
    await server.admin('PUT', '/roles/2', { actions: [auth('callback'), auth('register')] });
    bob = { ...(await server.addUser('bob')), role: 1 };
    blind = await addUser('blind', []);
    const role = ['createRole', 'updateRole', 'find'].map((action) => `plugin::users-permissions.role.${action}`);
    const user = ['create', 'update', 'find'].map((action) => `plugin::users-permissions.user.${action}`);
    seeing = await addUser('seeing', [...role, ...user]);
  });
  after(() => server.stop());

  /** Adds a user with a role of its own. */
  async function addUser(name: string, more: readonly string[]): Promise<User> {
    const { body } = await server.admin('POST', '/roles', { name, actions: [...actions, ...more] });
    return { ...(await server.addUser(name, body.data.id)), role: body.data.id };
  }
  const rule = async ({ role }: User, rows: object | null): Promise<void> => {
    expect((await server.admin('PUT', `/roles/${String(role)}/rules`, { rows })).status).to.equal(200);
  };
  const post = async (user: User, path: string, data: object) => server.as(user.jwt, 'POST', path, { data });
  const put = async (user: User, path: string, data: object) => server.as(user.jwt, 'PUT', path, { data });
  const stored = (collection: string, id: number) =>
    server.database.db.collection<{ _id: number; owner?: number; title?: string }>(collection).findOne({ _id: id });
  const total = (collection: string) => server.database.db.collection(collection).countDocuments();
  const forbidden = (answer: { status: number; body: { error: { name: string } } }): void => {
    expect([answer.status, answer.body.error.name]).to.deep.equal([403, 'ForbiddenError']);
  };

  describe('an owner', () => {
    before(() => Promise.all([blind, seeing].map((user) => rule(user, { [article]: own }))));

    it('is set by a create that names none, without a right to users', async () => {
      const { status, body } = await post(blind, '/api/articles', { title: 'mine' });
      expect(status).to.equal(200);
      expect(await stored('articles', body.data.id)).to.include({ owner: blind.id });
    });

    it('is the caller if no other may be named', async () => {
      const { body } = await post(blind, '/api/articles', { title: 'mine', owner: bob.id });
      expect(await stored('articles', body.data.id)).to.include({ owner: blind.id });
    });

    it('is set over GraphQL', async () => {
      const query = 'mutation { createArticle(data: { title: "x" }) { data { id } } }';
      const { body } = await server.as(blind.jwt, 'POST', '/graphql', { query });
      expect(await stored('articles', Number(body.data.createArticle.data.id))).to.include({ owner: blind.id });
    });

    it('is set by a multipart create', async () => {
      const form = new FormData();
      form.append('data', JSON.stringify({ title: 'multi' }));
      const headers = { authorization: `Bearer ${blind.jwt}` };
      const answer = await fetch(`${server.server.url}/api/articles`, { method: 'POST', body: form, headers });
      const { data } = (await answer.json()) as { data: { id: number } };
      expect(await stored('articles', data.id)).to.include({ owner: blind.id });
    });

    it('cost a create one read of the owner, and none of the entry', async () => {
      await server.settled();
      await post(blind, '/api/articles', { title: 'first' });
      const { commands } = await server.countCommands(() => post(blind, '/api/articles', { title: 'x' }));
      expect(commands).to.deep.equal(['aggregate', 'insert']);
    });

    it('may be named', async () => {
      const { body } = await post(seeing, '/api/articles', { title: 'x', owner: { connect: [seeing.id] } });
      expect(await stored('articles', body.data.id)).to.include({ owner: seeing.id });
    });

    const others: Readonly<Record<string, (id: number) => unknown>> = {
      'another user': () => bob.id,
      'another user by connect': () => ({ connect: [bob.id] }),
      nobody: () => null,
    };
    for (const [name, value] of Object.entries(others))
      it(`may not be ${name}`, async () => {
        const before = await total('articles');
        forbidden(await post(seeing, '/api/articles', { title: 'x', owner: value(0) }));
        expect(await total('articles')).to.equal(before);
      });

    it('may not be another user over GraphQL', async () => {
      const query = `mutation { createArticle(data: { title: "x", owner: ${String(bob.id)} }) { data { id } } }`;
      const { body } = await server.as(seeing.jwt, 'POST', '/graphql', { query });
      expect(body.errors[0]).to.deep.include({ message: 'Forbidden access' });
      expect(body.errors[0].extensions.code).to.equal('FORBIDDEN');
    });

    const moves: Readonly<Record<string, (id: number) => unknown>> = {
      ...others,
      'nobody by disconnect': () => ({ disconnect: [seeing.id] }),
      'nobody by set': () => ({ set: [] }),
    };
    for (const [name, value] of Object.entries(moves))
      it(`may not become ${name}`, async () => {
        const { body } = await post(seeing, '/api/articles', { title: 'kept' });
        forbidden(await put(seeing, `/api/articles/${String(body.data.id)}`, { title: 'new', owner: value(0) }));
        expect(await stored('articles', body.data.id)).to.include({ owner: seeing.id, title: 'kept' });
      });

    it('cost updates of other attributes no command', async () => {
      const { body } = await post(seeing, '/api/articles', { title: 'x' });
      const path = `/api/articles/${String(body.data.id)}`;
      const { result, commands } = await server.countCommands(() => put(seeing, path, { title: 'y' }));
      expect([result.status, commands]).to.deep.equal([200, ['findAndModify']]);
    });
  });

  const rules: readonly (readonly [rows: object, good: object, bad: object])[] = [
    [{ title: { $startsWith: 'a' } }, { title: 'ab' }, { title: 'b' }],
    [{ $or: [own, { title: { $eq: 'all' } }] }, { title: 'all' }, { title: 'b' }],
    [{ $and: [own, { price: { $lt: 10 } }] }, { price: 9 }, { price: 10 }],
    [{ title: '$user.username', price: { $notNull: true } }, { price: 1 }, { price: null }],
    [{ $not: { price: { $gt: 10 } } }, { price: 9 }, { price: 11 }],
    [{ title: { $eq: '$user.id' } }, { price: 1 }, { title: '0' }],
  ];
  for (const [rows, good, bad] of rules)
    it(`as ${JSON.stringify(rows)}`, async () => {
      const user = seeing;
      await rule(user, { [article]: rows });
      const made = await post(user, '/api/articles', good);
      expect(made.status).to.equal(200);
      const path = `/api/articles/${String(made.body.data.id)}`;
      const before = [await total('articles'), await stored('articles', made.body.data.id)];
      forbidden(await post(user, '/api/articles', bad));
      if (!('$or' in rows)) forbidden(await put(user, path, bad));
      expect(before[0]).to.equal(await total('articles'));
      expect((await put(user, path, good)).status).to.equal(200);
    });

  it('for the other side of a relation', async () => {
    const user = seeing;
    await rule(user, { [note]: { article: own } });
    const mine = (await post(user, '/api/articles', { title: 'mine', owner: user.id })).body.data.id as number;
    const made = await post(user, '/api/notes', { text: 'x', article: mine });
    expect(made.status).to.equal(200);
    forbidden(await post(user, '/api/notes', { text: 'x' }));
    const theirs = (await post(user, '/api/articles', { title: 'theirs', owner: bob.id })).body.data.id as number;
    forbidden(await put(user, `/api/notes/${String(made.body.data.id)}`, { article: theirs }));
    for (const notes of [[], { disconnect: [made.body.data.id] }])
      forbidden(await put(user, `/api/articles/${String(mine)}`, { notes }));
    forbidden(await put(user, `/api/articles/${String(theirs)}`, { notes: { connect: [made.body.data.id] } }));
    forbidden(await post(user, '/api/articles', { owner: bob.id, notes: [made.body.data.id] }));
    expect(await stored('notes', made.body.data.id)).to.include({ article: mine });
    expect((await put(user, `/api/articles/${String(mine)}`, { notes: [made.body.data.id] })).status).to.equal(200);
  });

  describe('over links that are stored with entries that a rule hides', () => {
    const card = 'api::card.card';
    const badge = 'api::badge.badge';
    const link = (relation: string, target: string, other: object) => ({ type: 'relation', relation, target, ...other });
    let member: User;
    let mine: number;
    let loader: string;
    before(async () => {
      loader = (await server.admin('POST', '/tokens', { name: 'hidden links', type: 'full-access' })).body.data.accessKey;
      const user = 'plugin::users-permissions.user';
      const model = (name: string, attributes: object) => ({
        kind: 'collectionType',
        collectionName: `${name}s`,
        info: { singularName: name, pluralName: `${name}s`, displayName: name },
        attributes: { owner: link('manyToOne', user, {}), ...attributes },
      });
      await server.admin('PUT', `/models/${card}`, model('card', { badge: link('oneToOne', badge, { inversedBy: 'card' }) }));
      await server.admin('PUT', `/models/${badge}`, model('badge', { card: link('oneToOne', card, { mappedBy: 'badge' }) }));
      const more = [card, badge].flatMap((uid) => all.map((action) => `${uid}.${action}`));
      member = await addUser('sharer', [...more, 'plugin::users-permissions.user.find']);
      await rule(member, { [note]: own, [card]: own });
      mine = (await post(member, '/api/articles', { title: 'shared by all' })).body.data.id;
    });
    const made = async (path: string, data: object): Promise<number> =>
      (await server.as(loader, 'POST', path, { data })).body.data.id as number;
    const notesOf = async (name: string) => {
      const { db } = server.database;
      const filter = name === 'notes' ? { article: mine } : { 'about.id': mine, 'about.__type': article };
      return (await db.collection('notes').find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => Number(_id));
    };

    for (const [name, data] of Object.entries({
      notes: () => ({ article: mine }),
      mentions: () => ({ about: { __type: article, id: mine } }),
    }))
      for (const input of [[], null, { set: [] }, { disconnect: 'hidden' }, 'own'])
        it(`leaves them alone: ${name} ${JSON.stringify(input)}`, async () => {
          const hidden = await made('/api/notes', { text: 'theirs', owner: bob.id, ...data() });
          const shown = await made('/api/notes', { text: 'mine', owner: member.id, ...data() });
          const others = (await notesOf(name)).filter((id) => id !== shown);
          const written =
            input === 'own'
              ? [shown]
              : JSON.stringify(input) === '{"disconnect":"hidden"}'
                ? { disconnect: [hidden, shown] }
                : input;
          expect((await put(member, `/api/articles/${String(mine)}`, { [name]: written })).status).to.equal(200);
          expect(await notesOf(name)).to.deep.equal(input === 'own' ? [...others, shown] : others);
        });

    it('does not take a one-to-one target from them, from either side', async () => {
      const taken = await made('/api/badges', {});
      const theirs = await made('/api/cards', { owner: bob.id, badge: taken });
      const own = await made('/api/cards', { owner: member.id });
      forbidden(await put(member, `/api/badges/${String(taken)}`, { card: own }));
      forbidden(await put(member, `/api/cards/${String(own)}`, { badge: taken }));
      forbidden(await post(member, '/api/cards', { badge: taken }));
      expect((await put(member, `/api/badges/${String(taken)}`, { card: null })).status).to.equal(200);
      const { db } = server.database;
      expect(await db.collection('cards').findOne({ _id: theirs as never })).to.include({ badge: taken });
      expect((await put(member, `/api/badges/${String(await made('/api/badges', {}))}`, { card: own })).status).to.equal(200);
    });
  });

  it('for roles', async () => {
    const user = seeing;
    await rule(user, { 'plugin::users-permissions.role': { name: { $startsWith: 'team' } } });
    const roles = '/api/users-permissions/roles';
    expect((await server.as(user.jwt, 'POST', roles, { name: 'team a' })).status).to.equal(200);
    forbidden(await server.as(user.jwt, 'POST', roles, { name: 'other' }));
    const { _id } = (await server.database.db.collection('up_roles').findOne({ name: 'team a' })) ?? {};
    forbidden(await server.as(user.jwt, 'PUT', `${roles}/${String(_id)}`, { name: 'other' }));
    expect((await server.as(user.jwt, 'PUT', `${roles}/${String(_id)}`, { name: 'team b' })).status).to.equal(200);
  });

  it('for users, but not for registrations', async () => {
    const user = seeing;
    await rule(user, { 'plugin::users-permissions.user': { blocked: { $eq: false } } });
    const body = { username: 'made', email: 'made@mail.test', password: 'Secret123', role: 1 };
    forbidden(await server.as(user.jwt, 'POST', '/api/users', { ...body, blocked: true }));
    expect((await server.as(user.jwt, 'POST', '/api/users', body)).status).to.equal(201);
    forbidden(await server.as(user.jwt, 'PUT', `/api/users/${String(bob.id)}`, { blocked: true }));
    await server.admin('PUT', '/roles/2/rules', { rows: { 'plugin::users-permissions.user': { id: { $eq: '$user.id' } } } });
    const signUp = { username: 'newbie', email: 'newbie@mail.test', password: 'Secret123' };
    expect((await server.as(null, 'POST', '/api/auth/local/register', signUp)).status).to.equal(200);
    await server.admin('DELETE', '/roles/2/rules');
  });

  describe('an owner that is stored with the user', () => {
    const user = 'plugin::users-permissions.user';
    const cases: readonly (readonly [name: string, relation: string])[] = [
      ['diary', 'oneToOne'],
      ['club', 'manyToMany'],
    ];
    const uidOf = (name: string): string => `api::${name}.${name}`;
    let member: User;
    before(async () => {
      const info = { singularName: 'user', pluralName: 'users', displayName: 'User' };
      const attributes = Object.fromEntries(
        cases.map(([name, relation]) => [name, { type: 'relation', relation, target: uidOf(name), inversedBy: 'owner' }]),
      );
      await server.admin('PUT', `/models/${user}`, { kind: 'collectionType', collectionName: 'up_users', info, attributes });
      for (const [name, relation] of cases)
        await server.admin('PUT', `/models/${uidOf(name)}`, {
          kind: 'collectionType',
          collectionName: `${name}s`,
          info: { singularName: name, pluralName: `${name}s`, displayName: name },
          attributes: {
            title: { type: 'string' },
            owner: { type: 'relation', relation, target: user, mappedBy: name },
          },
        });
      member = await addUser(
        'member',
        cases.flatMap(([name]) => all.map((action) => `${uidOf(name)}.${action}`)),
      );
      await rule(member, Object.fromEntries(cases.map(([name]) => [uidOf(name), own])));
    });

    for (const [name, relation] of cases)
      it(`is set by a create that names none: ${relation}`, async () => {
        const { status, body } = await post(member, `/api/${name}s`, { title: 'mine' });
        expect([status, body.error]).to.deep.equal([200, undefined]);
        const { id } = body.data;
        const listed = await server.as(member.jwt, 'GET', `/api/${name}s`);
        expect(listed.body.data.map((entry: { id: number }) => entry.id)).to.deep.equal([id]);
        expect((await put(member, `/api/${name}s/${String(id)}`, { title: 'still mine' })).status).to.equal(200);
        const query = `mutation { create${name[0]?.toUpperCase() ?? ''}${name.slice(1)}(data: { title: "x" }) { data { id } } }`;
        const over = await server.as(member.jwt, 'POST', '/graphql', { query });
        expect(over.body.errors).to.equal(undefined);
      });
  });

  describe('a localization group', () => {
    const page = 'api::page.page';
    const i18n = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
    const findPages = [`${page}.find`, `${page}.findOne`, `${page}.create`];
    const shared = { code: 'P1', seo: { text: 'kept' } };
    let original: number;
    before(async () => {
      const info = { displayName: 'Seo' };
      await server.admin('PUT', '/models/page.seo', { collectionName: 'seos', info, attributes: { text: { type: 'string' } } });
      await server.admin('PUT', `/models/${page}`, {
        kind: 'collectionType',
        collectionName: 'pages',
        info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
        ...i18n(true),
        attributes: {
          title: { type: 'string', ...i18n(true) },
          code: { type: 'string', required: true, ...i18n(false) },
          seo: { type: 'component', component: 'page.seo', ...i18n(false) },
        },
      });
      for (const code of ['fr', 'de', 'es']) await server.admin('POST', '/locales', { code });
      await rule(seeing, { [page]: { title: { $ne: 'hidden' } } });
      await grant([...findPages, `${page}.update`]);
      original = (await post(seeing, '/api/pages', { title: 'Home', ...shared })).body.data.id;
    });
    const grant = (granted: readonly string[]) => server.admin('PUT', `/roles/${String(seeing.role)}`, { actions: granted });
    const join = (locale: string, more: object = {}, query = '') =>
      post(seeing, `/api/pages${query}`, { title: locale, locale, localizations: [original], ...more });
    const read = async (id: number) => {
      const { body } = await server.as(seeing.jwt, 'GET', `/api/pages/${String(id)}?populate=*`);
      const { code, seo, localizations } = body.data.attributes;
      return { code, text: seo?.text, group: localizations.data.length };
    };

    it('is closed to callers who may neither update nor localize', async () => {
      await grant(findPages);
      forbidden(await join('fr'));
      expect(await read(original)).to.deep.equal({ code: 'P1', text: 'kept', group: 0 });
    });

    for (const [action, locale] of Object.entries({ update: 'fr', createLocalization: 'de' }))
      it(`shares its values with an entry that joins with the right to ${action}, and takes those that this sends`, async () => {
        await grant([...findPages, `${page}.${action}`]);
        const { status, body } = await join(locale, { seo: { text: action } });
        expect(status).to.equal(200);
        const joined = await read(body.data.id);
        expect(joined).to.include({ code: 'P1', text: action });
        expect(await read(original)).to.deep.equal(joined);
      });

    it('requires no shared value of a new member, and keeps its shared values whatever the answer populates', async () => {
      expect((await join('es', {}, '?populate=localizations')).status).to.equal(200);
      expect(await read(original)).to.deep.equal({ code: 'P1', text: 'createLocalization', group: 3 });
    });

    describe('of which a rule hides a locale', () => {
      let id: number;
      let hidden: number;
      const pages = () => server.database.db.collection<{ _id: number; code: string; updatedAt: Date }>('pages');
      before(async () => {
        await rule(seeing, { [page]: { title: { $ne: 'hidden' } } });
        await grant(['find', 'findOne', 'create', 'update', 'createLocalization'].map((action) => `${page}.${action}`));
        id = (await post(seeing, '/api/pages', { title: 'Start', code: 'H1' })).body.data.id;
        const sibling = { title: 'Debut', locale: 'fr' };
        hidden = (await server.as(seeing.jwt, 'POST', `/api/pages/${String(id)}/localizations`, sibling)).body.id;
        await pages().updateOne({ _id: hidden }, { $set: { title: 'hidden' } });
      });
      const graphql = async (query: string) => {
        const { body } = await server.as(seeing.jwt, 'POST', '/graphql', { query });
        return { status: body.errors === undefined ? 200 : body.errors[0].extensions.code === 'FORBIDDEN' ? 403 : 400, body };
      };
      const path = (): string => `/api/pages/${String(id)}`;
      const localize = (data: object) => server.as(seeing.jwt, 'POST', `${path()}/localizations`, data);
      const join = (data: object) =>
        post(seeing, '/api/pages?populate=localizations', { title: 'x', localizations: [id], ...data });

      const writes: Readonly<Record<string, readonly [status: number, send: () => Promise<{ readonly status: number }>]>> = {
        'an update that changes a shared value': [403, () => put(seeing, path(), { code: 'H2' })],
        'an update that sets a shared component': [403, () => put(seeing, path(), { seo: { text: 'new' } })],
        'an update that says the shared value again': [200, () => put(seeing, path(), { title: 'Again', code: 'H1' })],
        'a localization with another shared value': [403, () => localize({ title: 'x', locale: 'de', code: 'H3' })],
        'a localization that takes the shared values': [200, () => localize({ title: 'x', locale: 'de' })],
        'a create that overwrites the shared values': [403, () => join({ locale: 'es', code: 'H4' })],
        'a create that overwrites them by nothing': [403, () => join({ locale: 'es', code: 'H1', seo: { text: 'x' } })],
        'an update over GraphQL': [
          403,
          () => graphql(`mutation { updatePage(id: ${String(id)}, data: { code: "H5" }) { data { id } } }`),
        ],
        'a localization over GraphQL': [
          403,
          () =>
            graphql(
              `mutation { createPageLocalization(id: ${String(id)}, locale: "es", data: { title: "x", code: "H6" }) { data { id } } }`,
            ),
        ],
        'an update of its own values over GraphQL': [
          200,
          () => graphql(`mutation { updatePage(id: ${String(id)}, data: { title: "Own", code: "H1" }) { data { id } } }`),
        ],
      };
      for (const [title, [status, send]] of Object.entries(writes))
        it(`is not changed there: ${title}, ${String(status)}`, async () => {
          const before = await pages().findOne({ _id: hidden });
          expect((await send()).status).to.equal(status);
          expect(await pages().findOne({ _id: hidden })).to.deep.equal(before);
          expect(await pages().findOne({ _id: id })).to.include({ code: 'H1' });
          expect(await pages().countDocuments({ locale: 'es', code: /^H/ })).to.equal(0);
        });

      it('does not show it', async () => {
        const { body } = await server.as(seeing.jwt, 'GET', `${path()}?populate=localizations`);
        const { data } = body.data.attributes.localizations;
        expect(data.map((one: { attributes: { locale: string } }) => one.attributes.locale)).to.deep.equal(['de']);
        expect(body.data.meta.availableLocales).to.deep.equal(['de']);
        const query = `{ page(id: ${String(id)}) { data { attributes { localizations { data { id } } } } } }`;
        const overGraphql = (await graphql(query)).body.data.page.data.attributes.localizations.data;
        expect(overGraphql).to.have.length(1);
      });

      it('changes in all locales that the rule shows, unless it would hide one then', async () => {
        await rule(seeing, { [page]: { $or: [{ locale: { $eq: 'en' } }, { code: { $ne: 'H9' } }] } });
        forbidden(await put(seeing, path(), { code: 'H9' }));
        expect((await put(seeing, path(), { code: 'H7' })).status).to.equal(200);
        expect((await pages().findOne({ _id: hidden }))?.code).to.equal('H7');
      });
    });

    it('is not joined through an entry that a rule hides', async () => {
      await rule(seeing, { [page]: { title: { $eq: 'other' } } });
      const { status, body } = await post(seeing, '/api/pages', { title: 'other', code: 'x', localizations: [original] });
      expect([status, body.error.message]).to.deep.equal([
        400,
        `1 relation(s) of type ${page} associated with this entity do not exist`,
      ]);
    });
  });

  it('on a standalone server, where a refused write is undone', async () => {
    const { backend } = server.server;
    if (backend === null) throw new Error('the service has no database');
    const user = {
      id: bob.id,
      username: 'bob',
      email: '',
      role: 1,
      blocked: false,
      confirmed: true,
      isEmailProven: true,
      tokenVersion: 0,
      tokensFrom: 0,
    };
    const access = { ...fullAccess, rules: new Map([[article, rowRule({ title: '$user.username' }, user, defaultLimits)]]) };
    const store = { ...backend.store, database: { ...backend.store.database, isReplicated: false } };
    const context: ContentContext = createContext(server.server.config, { store, models: backend.models }, access);
    const type = context.bind.registry.types.get(article);
    if (type === undefined) throw new Error('there is no type');
    const before = await total('articles');
    const failed = async (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => (error as Error).name,
      );
    expect(await failed(create(type, { title: 'alice' }, emptyQuery, context))).to.equal('ForbiddenError');
    expect(await total('articles')).to.equal(before);
    const { document } = await create(type, {}, emptyQuery, context);
    const id = Number(document['_id']);
    const kept = await stored('articles', id);
    expect(await failed(update({ type, id }, { data: { title: 'alice' }, query: emptyQuery }, context))).to.equal(
      'ForbiddenError',
    );
    expect(await stored('articles', id)).to.deep.equal(kept);
  });
});
