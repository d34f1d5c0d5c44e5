import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { serveProject } from '../../support/serve-project.js';

const localized = { pluginOptions: { i18n: { localized: true } } };
const models = [
  collectionType(
    'note',
    {
      slug: { type: 'uid' },
      name: { type: 'string', unique: true },
      code: { type: 'integer', unique: true },
      big: { type: 'biginteger', unique: true },
      mail: { type: 'email', unique: true },
      day: { type: 'date', unique: true },
      time: { type: 'datetime', unique: true },
      kind: { type: 'enumeration', enum: ['a', 'b'], unique: true },
      done: { type: 'boolean', unique: true },
      text: { type: 'string' },
      key: { type: 'string', unique: true, private: true },
      pass: { type: 'password', unique: true },
      hidden: { type: 'string', unique: true },
      seo: { type: 'component', component: 'shared.seo' },
      page: { type: 'relation', relation: 'manyToOne', target: 'api::page.page' },
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType(
    'page',
    { slug: { type: 'uid', ...localized }, isbn: { type: 'string', unique: true }, title: { type: 'string', ...localized } },
    localized,
  ),
  collectionType('plain', { text: { type: 'string' } }),
  { ...collectionType('home', { slug: { type: 'uid' } }), kind: 'singleType' },
  { uid: 'shared.seo', info: { displayName: 'Seo' }, attributes: { slug: { type: 'string', unique: true } } },
];
const at = new Date('2024-01-01T00:00:00.000Z');
const times = { createdAt: at, updatedAt: at };
const documents = {
  i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, ...times })),
};

describe('an entry by a unique value', () => {
  let server: ServingAccounts;
  let token: string;
  before(async () => {
    server = await serveAccounts({ models, documents });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    const create = (path: string, data: object) => server.as(token, 'POST', `/api/${path}`, { data });
    await create('pages', { slug: 'one', isbn: 'i1', title: 'One' });
    await server.as(token, 'POST', '/api/pages/1/localizations', { locale: 'fr', slug: 'one', title: 'Un' });
    const values = { code: 5, big: '9007199254740993', mail: 'a@b.cd', day: '2024-02-03', time: at, kind: 'a', done: true };
    await create('notes', {
      slug: 'one',
      name: 'a/b c',
      ...values,
      text: 'x',
      key: 'k',
      pass: 'p',
      hidden: 'h',
      seo: { slug: 's' },
      page: 1,
    });
    await create('notes', { slug: 'draft', publishedAt: null, code: null });
    const actions = ['note.note', 'page.page', 'plain.plain'].flatMap((uid) => [`api::${uid}.find`, `api::${uid}.findOne`]);
    await server.admin('PUT', '/roles/2', { actions: actions.filter((name) => name !== 'api::page.page.findOne') });
    const fields = { 'api::note.note': { deny: ['hidden'] } };
    await server.admin('PUT', '/roles/2/rules', { fields, rows: { 'api::note.note': { text: { $eqi: 'x' } } } });
  });
  after(() => server.stop());

  const found: readonly (readonly [path: string, id: number, same: string])[] = [
    ['notes/by/slug/one', 1, 'notes/1'],
    ['notes/by/name/a%2Fb%20c', 1, 'notes/1'],
    ['notes/by/code/5', 1, 'notes/1'],
    ['notes/by/big/9007199254740993', 1, 'notes/1'],
    ['notes/by/mail/a@b.cd', 1, 'notes/1'],
    ['notes/by/mail/a%40b.cd/', 1, 'notes/1'],
    ['notes/by/day/2024-02-03', 1, 'notes/1'],
    ['notes/by/time/2024-01-01T00:00:00.000Z', 1, 'notes/1'],
    ['notes/by/slug/draft', 2, 'notes/2'],
    ['notes/by/slug/draft?publicationState=preview', 2, 'notes/2'],
    ['notes/by/code/5?publicationState=live', 1, 'notes/1'],
    ['notes/by/code/5?populate=*&fields=slug,code', 1, 'notes/1?populate=*&fields=slug,code'],
    ['notes/by/code/5?format=flat&populate[page][fields]=isbn', 1, 'notes/1?format=flat&populate[page][fields]=isbn'],
    ['pages/by/slug/one', 1, 'pages/1'],
    ['pages/by/slug/one?locale=en&populate=localizations', 1, 'pages/1?populate=localizations'],
    ['pages/by/slug/one?locale=fr', 2, 'pages/2'],
    ['pages/by/isbn/i1', 1, 'pages/1'],
    ['pages/by/isbn/i1?locale=fr', 2, 'pages/2'],
  ];
  for (const [path, id, same] of found)
    it(`is found: ${path}`, async () => {
      const { status, body } = await server.as(token, 'GET', `/api/${path}`);
      expect([status, body.data.id]).to.deep.equal([200, id]);
      expect(body).to.deep.equal((await server.as(token, 'GET', `/api/${same}`)).body);
    });

  const parameters = 'fields, populate, locale, publicationState, format';
  /** Requests, who sends them, and the answers. */
  const others: readonly (readonly [path: string, who: 'full' | 'public', status: number, message: string])[] = [
    ['notes/by/slug/none', 'full', 404, 'Not Found'],
    ['notes/by/name/A%2Fb%20c', 'full', 404, 'Not Found'],
    ['notes/by/slug/draft?publicationState=live', 'full', 404, 'Not Found'],
    ['pages/by/slug/one?locale=xx', 'full', 404, 'Not Found'],
    ['notes/by/code/null', 'full', 400, 'Invalid value "null" for code'],
    ['notes/by/code/x', 'full', 400, 'Invalid value "x" for code'],
    ['notes/by/day/$x', 'full', 400, 'Invalid value "$x" for day'],
    ['pages/by/slug/one?locale=all', 'full', 400, 'Invalid parameter locale: expected one locale'],
    ['pages/by/slug/one?locale[]=en&locale[]=fr', 'full', 400, 'Invalid parameter locale: expected one locale'],
    ['notes/by/code/5?publicationState=x', 'full', 400, 'Invalid parameter publicationState'],
    ['notes/by/code/5?fields=none', 'full', 400, 'Invalid parameter none'],
    ['notes/by/code/5?populate[page][fields]=none', 'full', 400, 'Invalid parameter none'],
    ...['filters[code]=5', 'sort=code', 'pagination[page]=1', '_q=x', 'x=1'].map((query) => {
      const name = /^\w+/.exec(query)?.[0] ?? '';
      return [`notes/by/code/5?${query}`, 'full', 400, `Invalid parameter ${name}: expected one of ${parameters}`] as const;
    }),
    // the same whether or not there is such a value
    ...[
      'text',
      'kind',
      'done',
      'key',
      'pass',
      'none',
      'seo',
      'page',
      'id',
      'createdAt',
      'seo.slug',
      '_id',
      '__proto__',
      'constructor',
    ].flatMap((name) =>
      ['x', 'k', '1'].map((value) => [`notes/by/${name}/${value}`, 'full', 400, `Invalid parameter ${name}`] as const),
    ),
    ...['h', 'other'].map((value) => [`notes/by/hidden/${value}`, 'public', 400, 'Invalid parameter hidden'] as const),
    ['notes/by/slug/draft', 'public', 404, 'Not Found'],
    ['pages/by/slug/one', 'public', 403, 'Forbidden'],
    ['plains/by/text/x', 'full', 404, 'Not Found'],
    ['home/by/slug/x', 'full', 404, 'Not Found'],
    ['notes/by/slug', 'full', 404, 'Not Found'],
    ['notes/by/slug/', 'full', 404, 'Not Found'],
    ['notes/by/slug/a/b', 'full', 404, 'Not Found'],
  ];
  for (const [path, who, status, message] of others)
    it(`is refused to ${who}: ${path}`, async () => {
      const { status: given, body } = await server.as(who === 'full' ? token : null, 'GET', `/api/${path}`);
      expect(given).to.equal(status);
      expect(body.error.message).to.match(new RegExp(`^${message.replaceAll(/[$?.+]/g, '\\$&')}`));
    });

  it('takes as many commands as by its id', async () => {
    for (const query of ['', '?populate=page', '?populate=*']) {
      const commands = async (path: string) =>
        (await server.countCommands(() => server.as(token, 'GET', `/api/${path}${query}`))).commands;
      expect(await commands('notes/by/code/5')).to.deep.equal(await commands('notes/1'));
    }
  });

  it('shows callers only what they may see', async () => {
    const { body } = await server.as(null, 'GET', '/api/notes/by/code/5');
    expect(body).to.deep.equal((await server.as(null, 'GET', '/api/notes/1')).body);
    expect(Object.keys(body.data.attributes)).not.to.include.members(['hidden']);
  });
});

describe('an entry by a unique value, with code around reads', () => {
  it('is read with the code of findOne, which sees the condition and may change it', async () => {
    const seen = `module.exports = { beforeFindOne(event) {
      (globalThis.seenReads ??= []).push(event.params.where);
      if (JSON.stringify(event.params.where).includes('other')) event.params.where = { slug: 'a' };
    }, afterFindOne(event) { if (event.result) event.result.text = 'of code'; } };`;
    const files = { 'src/api/note/content-types/note/lifecycles.js': seen };
    const model = collectionType('note', { slug: { type: 'uid' }, text: { type: 'string' } });
    const server = await serveProject(files, { models: [model] });
    await server.call('POST', '/api/notes', { data: { slug: 'a' } });
    const answers = [];
    for (const slug of ['a', 'other', 'none'])
      answers.push((await server.call('GET', `/api/notes/by/slug/${slug}`)).body.data?.attributes.text ?? null);
    await server.stop();
    expect(answers).to.deep.equal(['of code', 'of code', null]);
    expect(Reflect.get(globalThis, 'seenReads')).to.deep.include({ slug: { $eq: 'a' } });
  });
});
