import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, attributes: object, more: object = {}): TestModel =>
  collectionType(name, attributes, { options: { draftAndPublish: true }, ...more });

const localized = { i18n: { localized: true } };
const own = { i18n: { localized: false } };

const models: readonly TestModel[] = [
  { uid: 'shared.seo', info: { displayName: 'seo' }, attributes: { title: { type: 'string' }, note: { type: 'string' } } },
  { uid: 'shared.link', info: { displayName: 'link' }, attributes: { url: { type: 'string' }, locale: { type: 'string' } } },
  {
    uid: 'shared.row',
    info: { displayName: 'row' },
    attributes: {
      label: { type: 'string' },
      folder: { type: 'relation', relation: 'oneToOne', target: 'api::folder.folder' },
    },
  },
  type('folder', { name: { type: 'string' }, code: { type: 'string' } }, { options: {} }),
  type('memo', {
    title: { type: 'string', required: true },
    secret: { type: 'string' },
    slug: { type: 'uid', targetField: 'title' },
    seo: { type: 'component', component: 'shared.seo' },
    share: { type: 'component', component: 'shared.seo', repeatable: true },
    rows: { type: 'component', component: 'shared.row', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.seo'] },
    other: { type: 'relation', relation: 'oneToOne', target: 'api::memo.memo' },
    folder: { type: 'relation', relation: 'manyToOne', target: 'api::folder.folder' },
    folders: { type: 'relation', relation: 'oneToMany', target: 'api::folder.folder' },
  }),
  type(
    'page',
    {
      title: { type: 'string', pluginOptions: localized },
      code: { type: 'string', pluginOptions: own },
      link: { type: 'component', component: 'shared.link', pluginOptions: own },
      memo: { type: 'relation', relation: 'oneToOne', target: 'api::memo.memo' },
    },
    { pluginOptions: localized },
  ),
];

const memo = 'api::memo.memo';
const page = 'api::page.page';
const folder = 'api::folder.folder';
const mine = { conditions: ['admin::is-creator'] };
const shown = ['title', 'seo.title', 'rows', 'folder'];

/** The permissions of administrators, by role. */
const administrators = {
  writer: [
    [
      { action: 'create', subject: memo, fields: shown },
      { action: 'read', subject: memo, fields: shown, ...mine },
      { action: 'update', subject: memo, fields: shown, ...mine },
      { action: 'delete', subject: memo, ...mine },
      { action: 'publish', subject: memo, ...mine },
      { action: 'read', subject: folder, fields: ['name'], ...mine },
    ],
  ],
  // may read and change the title of all entries, and the secret of own ones
  both: [
    [
      { action: 'create', subject: memo, fields: ['title'] },
      { action: 'read', subject: memo, fields: ['title'] },
      { action: 'update', subject: memo, fields: ['title'] },
    ],
    [
      { action: 'read', subject: memo, fields: ['title', 'secret', 'folder'], ...mine },
      { action: 'update', subject: memo, fields: ['title', 'secret'], ...mine },
    ],
  ],
  french: [
    [
      { action: 'create', subject: page, fields: ['title', 'code'], locales: ['fr'] },
      { action: 'read', subject: page, fields: ['title', 'code'], locales: ['en', 'fr'] },
      { action: 'update', subject: page, fields: ['title', 'code'], locales: ['fr'] },
      { action: 'delete', subject: page, locales: ['fr'] },
    ],
  ],
  // may read the title of all pages, and the code of own ones
  coder: [
    [
      { action: 'create', subject: page, fields: ['title', 'code'] },
      { action: 'read', subject: page, fields: ['title'] },
      { action: 'update', subject: page, fields: ['title', 'code'] },
    ],
    [{ action: 'read', subject: page, fields: ['title', 'code'], ...mine }],
  ],
  linked: [[{ action: 'read', subject: page, fields: ['title', 'link.url', 'link.locale'], locales: ['en'] }]],
  // may add locales, and change none
  translator: [
    [
      { action: 'create', subject: page, fields: ['title', 'code'], locales: ['en', 'fr', 'de'] },
      { action: 'read', subject: page, fields: ['title', 'code'], locales: ['en', 'fr', 'de'] },
    ],
  ],
  // may change own entries, and link those of others
  linker: [
    [
      { action: 'create', subject: memo, fields: ['title', 'other'] },
      { action: 'read', subject: memo, fields: ['title', 'other'] },
      { action: 'update', subject: memo, fields: ['title', 'other'], ...mine },
    ],
  ],
  // may read all of a component in one place, and only its title in another
  partly: [
    [
      { action: 'read', subject: memo, fields: ['title', 'seo.title', 'share', 'other'] },
      { action: 'read', subject: page, fields: ['title', 'memo'] },
    ],
  ],
  inserter: [[{ action: 'create', subject: memo, fields: ['title', 'slug'] }]],
  nobody: [[]],
} as const;

const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const files = ['a', 'b'].map((name, index) => ({ _id: index + 1, name, code: 'c', ...times, createdBy: null, updatedBy: null }));
const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, ...times }));

const memos = `/content-manager/collection-types/${memo}`;
const pages = `/content-manager/collection-types/${page}`;
const relations = '/content-manager/relations';
const uids = '/content-manager/uid';
const shared = '/i18n/content-manager/actions/get-non-localized-fields';

/** Requests that are refused. `{memo}` is an entry of somebody else, `{own}` one of the writer, `{row}` a component of the former. */
const refused: readonly (readonly [as: string, request: string, body: unknown, status: number])[] = [
  ['nobody', `POST ${memos}`, { title: 'x' }, 403],
  ['nobody', `PUT ${memos}/{memo}`, { title: 'x' }, 403],
  ['nobody', `POST ${memos}/clone/{memo}`, { title: 'x' }, 403],
  ['nobody', `POST ${memos}/auto-clone/{memo}`, {}, 403],
  ['nobody', `POST ${memos}/actions/bulkDelete`, { ids: ['{memo}'] }, 403],
  ['nobody', `GET ${memos}/{memo}/actions/countDraftRelations`, undefined, 403],
  ['nobody', `GET ${relations}/${memo}/folder`, undefined, 403],
  ['nobody', `GET ${relations}/shared.row/folder`, undefined, 403],
  ['nobody', `POST ${uids}/generate`, { contentTypeUID: memo, field: 'slug', data: { title: 'x' } }, 403],
  ['nobody', `POST ${uids}/check-availability`, { contentTypeUID: memo, field: 'slug', value: 'x' }, 403],
  ['nobody', `POST ${shared}`, { model: page, id: '{page}', locale: 'fr' }, 403],
  ['writer', `PUT ${memos}/{memo}`, { title: 'x' }, 403],
  ['writer', `DELETE ${memos}/{memo}`, undefined, 403],
  ['writer', `POST ${memos}/{memo}/actions/publish`, undefined, 403],
  ['writer', `POST ${memos}/{memo}/actions/unpublish`, undefined, 403],
  ['writer', `POST ${memos}/actions/bulkPublish`, { ids: ['{own}', '{memo}'] }, 403],
  ['writer', `POST ${memos}/actions/bulkDelete`, { ids: ['{own}', '{memo}'] }, 403],
  ['writer', `POST ${memos}/clone/{memo}`, { title: 'x' }, 403],
  ['writer', `GET ${memos}/{memo}/actions/countDraftRelations`, undefined, 403],
  ['writer', `GET ${relations}/${memo}/{memo}/folder`, undefined, 403],
  ['writer', `GET ${relations}/${memo}/folder?entityId={memo}`, undefined, 403],
  ['writer', `GET ${relations}/${memo}/folders`, undefined, 403],
  ['writer', `GET ${relations}/shared.row/{row}/folder`, undefined, 403],
  ['both', `GET ${relations}/${memo}/{memo}/folder`, undefined, 403],
  ['nobody', `POST ${memos}/actions/bulkUnpublish`, { ids: ['{memo}'] }, 403],
  // a component of another entry
  ['writer', `PUT ${memos}/{own}`, { rows: [{ id: '{row}', label: 'stolen' }] }, 400],
  // an entry that the administrator may not read counts as missing
  ['writer', `PUT ${memos}/{own}`, { folder: 1 }, 400],
  ['writer', `PUT ${memos}/{own}`, { rows: [{ label: 'a', folder: { connect: [{ id: 1 }] } }] }, 400],
  ['writer', `POST ${uids}/check-availability`, { contentTypeUID: memo, field: 'slug', value: 'x' }, 403],
  ['inserter', `PUT ${memos}/{memo}`, { title: 'x' }, 403],
  ['french', `POST ${pages}`, { title: 'x' }, 403],
  ['french', `POST ${pages}?locale=de&relatedEntityId={page}`, { title: 'x' }, 403],
  ['french', `PUT ${pages}/{page}?locale=fr`, { title: 'x' }, 403],
  ['french', `DELETE ${pages}/{page}`, undefined, 403],
  // has one value for all locales, of which one may not be changed
  ['french', `POST ${pages}?locale=fr&relatedEntityId={page}`, { title: 'x', code: 'other' }, 403],
  ['translator', `POST ${pages}?locale=de&relatedEntityId={page}`, { title: 'x', code: 'other' }, 403],
];

describe('rights of administrators who write', () => {
  let serving: Serving;
  let send: PanelSender;
  const ids: Record<string, number> = {};
  before(async () => {
    // Strict mode, in which hidden values of a body would be refused if they were not left out first.
    const documents = { i18n_locales: locales, folders: files };
    serving = await serveModels({
      models,
      documents,
      config: { admin: { rateLimit: { enabled: false } }, api: { rest: { strict: true } } },
    });
    send = await openAdministrators(serving, administrators);
    const rows = [{ label: 'r', folder: 1 }];
    const other = await send('super', 'POST', memos, {
      title: 'memo',
      secret: 's',
      seo: { title: 't', note: 'n' },
      rows,
      share: [{ title: 't', note: 'n' }],
      folder: 1,
    });
    ids['memo'] = other.body.id;
    ids['row'] = other.body.rows[0].id;
    ids['own'] = (await send('writer', 'POST', memos, { title: 'own', seo: { title: 't', note: 'hidden' } })).body.id;
    ids['linked'] = (await send('linker', 'POST', memos, { title: 'linked' })).body.id;
    ids['page'] = (await send('super', 'POST', pages, { title: 'page', code: 'c', memo: ids['memo'] })).body.id;
  });
  after(() => serving.stop());

  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
  const filledBody = (body: unknown): unknown =>
    body === undefined
      ? undefined
      : JSON.parse(JSON.stringify(body).replace(/"\{(\w+)\}"/g, (_, name: string) => String(ids[name])));

  for (const [as, request, body, status] of refused)
    it(`${as}: ${request} ${JSON.stringify(body) ?? ''} is refused`, async () => {
      const [method = '', path = ''] = request.split(' ');
      const before = await stored();
      const answer = await send(as, method, filled(path), filledBody(body));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      expect(await stored()).to.deep.equal(before);
    });

  const stored = async () => {
    const { db } = serving.database;
    return { memos: await db.collection('memos').find().toArray(), pages: await db.collection('pages').find().toArray() };
  };

  /** What is written of a body: only values that a permission names. */
  const written: readonly (readonly [as: string, request: string, body: object, stored: object])[] = [
    ['writer', `POST ${memos}`, { title: 'a', secret: 'x' }, { title: 'a', secret: null }],
    ['writer', `POST ${memos}`, { title: 'a', seo: { title: 't', note: 'x' } }, { seo: { title: 't', note: null } }],
    ['writer', `POST ${memos}`, { title: 'a', zone: [{ __component: 'shared.seo', title: 'x' }] }, { zone: [] }],
    ['writer', `POST ${memos}`, { title: 'a', rows: [{ label: 'r' }] }, { rows: [{ label: 'r' }] }],
    [
      'writer',
      `POST ${memos}`,
      { title: 'a', id: 77, _id: 77, createdBy: 1, updatedBy: { id: 1 } },
      { title: 'a', createdBy: 2, updatedBy: 2 },
    ],
    [
      'super',
      `POST ${memos}`,
      { title: 'a', createdAt: '2000-01-01T00:00:00.000Z', publishedAt: '2000-01-01' },
      { publishedAt: null, createdBy: 1 },
    ],
    [
      'writer',
      `PUT ${memos}/{own}`,
      { title: 'b', secret: 'x', createdBy: 1 },
      { title: 'b', secret: null, createdBy: 2, updatedBy: 2 },
    ],
    ['both', `PUT ${memos}/{memo}`, { title: 'c', secret: 'x' }, { title: 'c', secret: 's', createdBy: 1, updatedBy: 3 }],
    ['both', `POST ${memos}`, { title: 'd', secret: 'x' }, { title: 'd', secret: null }],
    ['inserter', `POST ${memos}`, { title: 'e', slug: 'e', secret: 'x' }, { title: 'e', slug: 'e', secret: null }],
    // entries that may be read can be linked
    ['linker', `PUT ${memos}/{linked}`, { other: '{memo}' }, { title: 'linked', other: '{memo}' }],
    [
      'french',
      `POST ${pages}?locale=fr&relatedEntityId={page}`,
      { title: 'fr', code: 'c' },
      { title: 'fr', locale: 'fr', code: 'c' },
    ],
  ];

  for (const [as, request, body, expected] of written)
    it(`${as}: ${request} ${JSON.stringify(body)} writes what is permitted`, async () => {
      const [method = '', path = ''] = request.split(' ');
      const answer = await send(as, method, filled(path), filledBody(body));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect(answer.body.id).not.to.equal(77);
      const collection = path.startsWith(pages) ? 'pages' : 'memos';
      const [entry] = await serving.database.db.collection(collection).find({ _id: answer.body.id }).toArray();
      expect(withoutIds(entry)).to.deep.include(filledBody(expected));
      expect(entry?.['createdAt'].getTime()).to.be.above(1_000_000_000_000);
    });

  /** Components without their ids and relations. */
  const withoutIds = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
      if (typeof inner !== 'object' || inner === null || !('id' in inner)) return inner;
      return Object.fromEntries(Object.entries(inner).filter(([name]) => name !== 'id' && name !== 'folder'));
    });

  /** What is answered: no hidden values, no entries of others. */
  const answered: readonly (readonly [as: string, request: string, expected: unknown])[] = [
    [
      'super',
      `GET ${relations}/${memo}/folder`,
      {
        results: [
          { id: 1, name: 'a' },
          { id: 2, name: 'b' },
        ],
        pagination: { page: 1, pageSize: 10, pageCount: 1, total: 2 },
      },
    ],
    ['super', `GET ${relations}/shared.row/{row}/folder`, { data: { id: 1, name: 'a' } }],
    [
      'super',
      `GET ${relations}/shared.row/folder?entityId={row}`,
      { results: [{ id: 2, name: 'b' }], pagination: { page: 1, pageSize: 10, pageCount: 1, total: 1 } },
    ],
    ['writer', `GET ${relations}/${memo}/folder`, { results: [], pagination: { page: 1, pageSize: 10, pageCount: 0, total: 0 } }],
    ['both', `GET ${memos}/actions/countManyEntriesDraftRelations?ids[0]={memo}`, { data: 0 }],
    [
      'super',
      `GET ${relations}/${memo}/undefined/folder`,
      { data: null, error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} } },
    ],
  ];

  for (const [as, request, expected] of answered)
    it(`${as}: ${request}`, async () => {
      const [method = '', path = ''] = request.split(' ');
      expect((await send(as, method, filled(path))).body).to.deep.equal(expected);
    });

  it('answers only the id of an entry that its creator may not read', async () => {
    const { body } = await send('inserter', 'POST', memos, { title: 'unseen' });
    expect(Object.keys(body)).to.deep.equal(['id']);
  });

  it('lists only the values that permissions for all entries name, and cannot be filtered by others', async () => {
    const found = (await send('both', 'GET', memos)).body;
    expect(found.pagination.total).to.be.above(1);
    expect(found.results.filter((entry: object) => 'secret' in entry)).to.deep.equal([]);
    const refused = await send('both', 'GET', `${memos}?filters[secret][$startsWith]=s`);
    expect([refused.status, refused.body.error.message]).to.deep.equal([400, 'Invalid parameter secret']);
  });

  /** Conditions on an attribute of a component in several places. A hidden one is refused. */
  const conditions: readonly (readonly [path: string, filter: string, isHidden: boolean])[] = [
    [memos, 'filters[share][note]=', false],
    [memos, 'filters[seo][title]=', false],
    [memos, 'filters[seo][note]=', true],
    [memos, 'filters[$or][0][seo][note]=', true],
    [memos, 'filters[other][seo][note]=', true],
    [memos, 'filters[other][share][note]=', false],
    [pages, 'filters[memo][seo][note]=', true],
    [pages, 'filters[memo][share][note]=', false],
  ];
  for (const [path, filter, isHidden] of conditions)
    it(`${filter} is ${isHidden ? 'refused' : 'answered'} where a role ${isHidden ? 'hides' : 'shows'} its path`, async () => {
      const { status, body } = await send('partly', 'GET', `${path}?${filter}nothing`);
      expect(isHidden ? [status, body.error.message] : [status, body.pagination.total]).to.deep.equal(
        isHidden ? [400, 'Invalid parameter note'] : [200, 0],
      );
    });

  const sorts: readonly (readonly [path: string, sort: string, status: number])[] = [
    [memos, 'share.note', 200],
    [memos, 'seo.title', 200],
    [memos, 'seo.note', 400],
    [memos, 'other.seo.note', 400],
    [pages, 'memo.share.note', 200],
    [pages, 'memo.seo.note', 400],
  ];
  for (const [path, sort, status] of sorts)
    it(`sort=${sort} is ${status === 200 ? 'answered' : 'refused'}`, async () => {
      expect((await send('partly', 'GET', `${path}?sort=${sort}`)).status).to.equal(status);
    });

  it('answers the values of a component that have the names of attributes of types', async () => {
    await serving.database.db.collection('pages').updateOne({}, { $set: { link: { id: 1, url: '/', locale: 'de' } } });
    const { body } = await send('linked', 'GET', filled(`${pages}/{page}`));
    expect(body.link).to.deep.include({ url: '/', locale: 'de' });
  });

  it('answers only the values that a permission for the entry names', async () => {
    const created = (await send('both', 'POST', memos, { title: 'mine' })).body;
    const ofOther = (await send('both', 'GET', filled(`${memos}/{memo}`))).body;
    expect([created, ofOther].map((entry) => 'secret' in entry)).to.deep.equal([true, false]);
  });

  it('a save shows other locales with the fields that may be read in the entry', async () => {
    const { id } = (await send('coder', 'POST', `${pages}?locale=en`, { title: 'a', code: 'x' })).body;
    await send('coder', 'POST', `${pages}?locale=fr&relatedEntityId=${String(id)}`, { title: 'b', code: 'x' });
    const path = `${pages}/${String(id)}`;
    const { localizations } = (await send('coder', 'GET', path)).body;
    expect(localizations[0]).to.include({ title: 'b', code: 'x' });
    const { body } = await send('coder', 'PUT', path, { title: 'a', code: 'y' });
    expect([body.code, body.localizations]).to.deep.equal(['y', localizations]);
  });
});
