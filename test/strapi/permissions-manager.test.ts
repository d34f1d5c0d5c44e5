import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const uid = 'api::note.note';
const models = [
  collectionType('note', {
    title: { type: 'string' },
    secret: { type: 'string' },
    hash: { type: 'password' },
    level: { type: 'integer' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    seo: { type: 'component', component: 'box.seo' },
  }),
  collectionType('author', { name: { type: 'string' }, pin: { type: 'password' } }),
  { uid: 'box.seo', info: { displayName: 'Seo' }, attributes: { text: { type: 'string' }, hint: { type: 'string' } } },
];

const conditions = `[
  { name: 'is-low', displayName: 'Is low', category: 'levels', plugin: 'own', handler: () => ({ level: { $lt: 5 } }) },
  { name: 'by-name', displayName: 'By name', handler: async ({ email }) => ({ 'author.name': email.split('@')[0] }) },
  { name: 'always', displayName: 'Always', handler: () => true },
  { name: 'never', displayName: 'Never', handler: () => false },
]`;

const files = {
  'src/index.js': `module.exports = {
    register({ strapi }) { globalThis.projectStrapi = strapi; },
    async bootstrap({ strapi }) {
      const { conditionProvider: provider } = strapi.admin.services.permission;
      await provider.registerMany(${conditions});
      const message = (condition) => provider.register(condition).then(() => null, (error) => error.message);
      globalThis.refusedConditions = [await message({ name: 'x', displayName: 'X' }), await message({ name: 'never', displayName: 'N', handler() {} })];
    } };`,
};

const read = 'plugin::content-manager.explorer.read';
const fields = ['title', 'level', 'author', 'seo.text'];
const rights = (action: 'read' | 'update', names: readonly string[], given: readonly string[] = []) => ({
  ...{ action, subject: uid, fields: names, conditions: given },
});

/** What a role may read, by the conditions of its permission. */
const roles = {
  reader: [[rights('read', fields), rights('update', ['title'])]],
  low: [[rights('read', fields, ['plugin::own.is-low'])]],
  ann: [[rights('read', fields, ['api::by-name', 'api::never'])]],
  any: [[rights('read', fields, ['api::never', 'api::always'])]],
  none: [[rights('read', fields, ['api::never'])]],
  unknown: [[rights('read', fields, ['api::gone'])]],
  nothing: [[]],
} as const;

const entry = {
  ...{ id: 1, title: 'a', secret: 'b', hash: 'c', level: 3, seo: { id: 1, text: 't', hint: 'h' }, other: 1 },
  author: { id: 1, name: 'ann', pin: 'x' },
  createdBy: { id: 1, firstname: 'A', email: 'a@mail.test' },
  createdAt: 'now',
};
const shown = {
  ...{ id: 1, title: 'a', level: 3, seo: { id: 1, text: 't' }, other: 1, author: { id: 1, name: 'ann' } },
  createdBy: { id: 1, firstname: 'A' },
  createdAt: 'now',
};

describe('the permissions manager and own conditions of code', () => {
  let serving: ServedProject;
  let send: PanelSender;
  const ids = new Map<string, number>();
  before(async () => {
    const authors = [
      { _id: 1, name: 'ann' },
      { _id: 2, name: 'bob' },
    ];
    const notes = [1, 5, 9].map((level, index) => ({
      _id: index + 1,
      title: `n${String(level)}`,
      level,
      author: (index % 2) + 1,
    }));
    serving = await serveProject(files, {
      ...{ models, documents: { authors, notes } },
      config: { admin: { rateLimit: { enabled: false } } },
    });
    send = await openAdministrators(serving, roles as never);
    for (const { id, email } of (await send('super', 'GET', '/admin/users')).body.data.results)
      ids.set(String(email).split('@')[0] ?? '', id as number);
  });
  after(() => serving.stop());

  const managerOf = async (as: string, action = read) => {
    const { permission } = serving.strapi.admin.services;
    const ability = await permission.engine.generateUserAbility({ id: ids.get(as) });
    return permission.createPermissionsManager({ ability, action, model: uid });
  };

  /** Calls of methods for a role, and their results; a text is that of the error. */
  const calls: readonly (readonly [as: string, method: string, data: unknown, expected: unknown, action?: string])[] = [
    ['reader', 'sanitizeOutput', entry, shown],
    ['reader', 'sanitizeOutput', [entry, { title: 'a', secret: 1 }], [shown, { title: 'a' }]],
    ['low', 'sanitizeOutput', entry, shown],
    ['low', 'sanitizeOutput', { title: 'a', level: 7 }, {}],
    ['any', 'sanitizeOutput', { title: 'a', level: 7 }, { title: 'a', level: 7 }],
    ['super', 'sanitizeOutput', { title: 'a', secret: 'b', hash: 'c' }, { title: 'a', secret: 'b' }],
    ['nothing', 'sanitizeOutput', { title: 'a', secret: 'b', hash: 'c' }, { title: 'a', secret: 'b' }],
    [
      'reader',
      'sanitizeInput',
      { title: 'a', level: 1, seo: { text: 't' } },
      { title: 'a' },
      'plugin::content-manager.explorer.update',
    ],
    ['reader', 'pickPermittedFieldsOf', { title: 'a', createdBy: 1, createdAt: 'x', hash: 'p' }, { title: 'a' }],
    ['super', 'pickPermittedFieldsOf', { title: 'a', hash: 'p' }, { title: 'a', hash: 'p' }],
    ['reader', 'validateInput', { title: 'a' }, true],
    ['reader', 'validateInput', { title: 'a', secret: 'b' }, 'Invalid parameter secret'],
    [
      'reader',
      'sanitizeQuery',
      {
        filters: { $and: [{ title: 'a' }, { secret: 'b' }, { author: { name: 'c', pin: 'd' } }], secret: { $eq: 1 } },
        ...{ sort: ['title:asc', 'secret:desc', 'author.pin'], fields: ['title', 'secret', 'id'] },
        ...{ populate: { author: { fields: ['name', 'pin'] }, seo: true, createdBy: true }, page: 2 },
      },
      {
        filters: { $and: [{ title: 'a' }, {}, { author: { name: 'c' } }] },
        ...{ sort: ['title:asc'], fields: ['title', 'id'] },
        ...{ populate: { author: { fields: ['name'] }, seo: true, createdBy: true }, page: 2 },
      },
    ],
    ['reader', 'sanitizeQuery', { sort: 'secret,title:desc', populate: '*' }, { sort: 'title:desc', populate: { author: true, seo: true, createdBy: true, updatedBy: true } }], // prettier-ignore
    ['reader', 'validateQuery', { filters: { title: 'a', createdAt: 1 }, sort: 'level' }, true],
    ['reader', 'validateQuery', { filters: { secret: 'a' } }, 'Invalid parameter secret'],
    ['reader', 'validateQuery', { sort: 'author.pin' }, 'Invalid parameter pin'],
    ['reader', 'validateQuery', { populate: ['author', 'createdBy'] }, 'Invalid parameter createdBy'],
    ['reader', 'addPermissionsQueryTo', { filters: { title: 'a' } }, { filters: { $and: [{ title: 'a' }, {}] } }],
    ['low', 'addPermissionsQueryTo', { page: 1 }, { page: 1, filters: { $or: [{ $and: [{ $or: [{ level: { $lt: 5 } }] }] }] } }],
    ['ann', 'getQuery', undefined, { $or: [{ $and: [{ $or: [{ author: { name: 'ann' } }] }] }] }],
    ['any', 'getQuery', undefined, {}],
    ['none', 'getQuery', undefined, null],
  ];
  for (const [as, method, data, expected, action] of calls)
    it(`${method} of ${as}: ${JSON.stringify(data)}`, async () => {
      const manager = await managerOf(as, action);
      const made: unknown = await Promise.resolve(manager[method](data)).catch((error: Error) => error.message);
      expect(made).to.deep.equal(expected);
    });

  it('changes nothing of what it was given', async () => {
    const given = structuredClone(entry);
    await (await managerOf('reader')).sanitizeOutput(given);
    expect(given).to.deep.equal(entry);
    expect(Object.getOwnPropertyNames(given)).to.deep.equal(Object.keys(entry));
  });

  for (const [as, titles] of [
    ['reader', ['n1', 'n5', 'n9']],
    ['low', ['n1']],
    ['ann', ['n1', 'n9']],
    ['any', ['n1', 'n5', 'n9']],
    ['none', 403],
    ['unknown', 403],
  ] as const)
    it(`conditions of ${as} hold in the panel: ${JSON.stringify(titles)}`, async () => {
      const { status, body } = await send(as, 'GET', `/content-manager/collection-types/${uid}?sort=id:asc`);
      const shownTitles = () => body.results.map(({ title }: { title: string }) => title);
      expect(status === 200 ? shownTitles() : status).to.deep.equal(titles);
      const may = [1, 5, 9].map(async (level) => (await managerOf(as)).ability.can(read, await subject(level)));
      const all = { n1: 0, n5: 1, n9: 2 };
      const expected = [0, 1, 2].map((index) => titles !== 403 && titles.some((title) => all[title] === index));
      expect(await Promise.all(may)).to.deep.equal(expected);
    });

  const subject = async (level: number): Promise<object> =>
    (await managerOf('reader')).toSubject({ level, author: { name: level === 5 ? 'bob' : 'ann' } });

  it('are offered on the page of a role, which may keep them', async () => {
    const { conditions: offered } = (await send('super', 'GET', '/admin/permissions')).body.data;
    expect(offered.slice(2)).to.deep.equal([
      { id: 'plugin::own.is-low', displayName: 'Is low', category: 'levels' },
      { id: 'api::by-name', displayName: 'By name', category: 'default' },
      { id: 'api::always', displayName: 'Always', category: 'default' },
      { id: 'api::never', displayName: 'Never', category: 'default' },
    ]);
    const { body } = await send('super', 'POST', '/admin/roles', { name: 'new' });
    const permission = { action: read, subject: uid, properties: { fields }, conditions: ['plugin::own.is-low'] };
    const path = `/admin/roles/${String(body.data.id)}/permissions`;
    const saved = await send('super', 'PUT', path, { permissions: [permission] });
    expect(saved.body.data[0].conditions).to.deep.equal(['plugin::own.is-low']);
  });

  it('are refused if they are invalid, registered already or too late', async () => {
    const { conditionProvider: provider } = serving.strapi.admin.services.permission;
    const late: unknown = await provider.register({ name: 'z', displayName: 'Z', handler: () => true }).catch((error: Error) => error.message); // prettier-ignore
    expect([...Reflect.get(globalThis, 'refusedConditions'), late]).to.deep.equal([
      'handler must be a function',
      'Duplicated item key: api::never',
      "You can't register new conditions outside of the bootstrap function.",
    ]);
    expect([provider.size(), provider.has('api::never'), provider.get('api::none')]).to.deep.equal([6, true, undefined]);
  });
});
