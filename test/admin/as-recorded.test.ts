import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const localized = { i18n: { localized: true } };
const users = 'plugin::users-permissions.user';

const type = (name: string, attributes: object, more: object = {}): TestModel =>
  collectionType(name, attributes, { options: { draftAndPublish: true }, ...more });

const models: readonly TestModel[] = [
  type('memo', {
    title: { type: 'string' },
    views: { type: 'integer' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::memo.memo' },
    owner: { type: 'relation', relation: 'oneToOne', target: users },
    owners: { type: 'relation', relation: 'manyToMany', target: users },
  }),
  type('page', { title: { type: 'string', pluginOptions: localized } }, { pluginOptions: localized }),
];

const at = (name: string): string => `/content-manager/collection-types/api::${name}.${name}`;
const view = '/content-manager/content-types/api::memo.memo/configuration';
const memoFields = ['title', 'owner', 'owners'];

/** The permissions of administrators. */
const administrators = {
  editor: [
    [
      { action: 'read', subject: 'api::memo.memo', fields: memoFields },
      { action: 'publish', subject: 'api::memo.memo' },
      { action: 'read', subject: users, fields: ['username'] },
      { action: 'read', subject: 'api::page.page', fields: ['title'], locales: ['en', 'fr'] },
      { action: 'update', subject: 'api::page.page', fields: ['title'], locales: ['fr'] },
    ],
  ],
  stranger: [
    [
      { action: 'read', subject: 'api::memo.memo', fields: memoFields },
      { action: 'read', subject: 'api::page.page', fields: ['title'], locales: ['en'] },
    ],
  ],
} as const;

/** A request, as whom it is sent, and the part of its answer at a path. */
interface Case {
  readonly title: string;
  readonly as?: keyof typeof administrators | 'super';
  readonly send: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly at?: string;
  readonly is?: unknown;
}

const error = (path: readonly string[], message: string) => [{ path, message, name: 'ValidationError' }];
const errors = 'error.details.errors';
const newType = (singularName: string) => ({
  contentType: { displayName: 'Gadget', singularName, pluralName: 'gadgets', draftAndPublish: false, attributes: {} },
  components: [],
});

const cases: readonly Case[] = [
  {
    ...{ title: 'a view keeps the order of its columns', send: `PUT ${view}` },
    ...{
      body: { layouts: { list: ['views', 'title', 'id'], edit: [] } },
      at: 'data.contentType.layouts.list',
      is: ['views', 'title', 'id'],
    },
  },
  {
    title: 'a view shows its columns in that order',
    send: `GET ${view}`,
    at: 'data.contentType.layouts.list',
    is: ['views', 'title', 'id'],
  },
  {
    ...{ title: 'a user in a relation has what the role of an editor shows', as: 'editor', send: `GET ${at('memo')}/?sort=id` },
    ...{ at: 'results.0.owner', is: { id: '{user}', username: 'reader' } },
  },
  {
    ...{ title: 'a user in a relation has no more than the id for others', as: 'stranger', send: `GET ${at('memo')}?sort=id` },
    ...{ at: 'results.0.owner', is: { id: '{user}' } },
  },
  {
    ...{ title: 'users of a relation have what the role of an editor shows', as: 'editor' },
    ...{
      send: 'GET /content-manager/relations/api::memo.memo/{memo}/owners',
      at: 'results',
      is: [{ id: '{user}', username: 'reader' }],
    },
  },
  {
    ...{ title: 'other locales that a role names are shown', as: 'editor', send: `GET ${at('page')}/{en}` },
    ...{ at: 'localizations', is: [{ id: '{fr}', locale: 'fr', title: 'fr' }] },
  },
  {
    ...{
      title: 'other locales are shown after a save',
      as: 'editor',
      send: `PUT ${at('page')}/{fr}?locale=fr`,
      body: { title: 'fr' },
    },
    ...{ at: 'localizations', is: [{ id: '{en}', locale: 'en', title: 'en' }] },
  },
  {
    ...{ title: 'locales that a role does not name are hidden', as: 'stranger', send: `GET ${at('page')}/{en}` },
    ...{ at: 'localizations', is: [] },
  },
  {
    ...{
      title: 'the builder names the form of names',
      send: 'POST /content-type-builder/content-types',
      body: newType('No Kebab'),
    },
    ...{ status: 400, at: errors },
    is: error(['contentType', 'singularName'], 'contentType.singularName is not in kebab case (an-example-of-kebab-case)'),
  },
  {
    ...{
      title: 'a taken name of a folder',
      send: 'POST /upload/folders',
      body: { name: 'top', parent: null },
      status: 400,
      at: errors,
    },
    is: error(['name'], 'A folder with this name already exists'),
  },
  {
    ...{
      title: 'a folder below a missing one',
      send: 'POST /upload/folders',
      body: { name: 'x', parent: 99 },
      status: 400,
      at: errors,
    },
    is: error(['parent'], 'parent folder does not exist'),
  },
  {
    ...{
      title: 'a folder inside itself',
      send: 'PUT /upload/folders/{top}',
      body: { parent: '{inner}' },
      status: 400,
      at: errors,
    },
    is: error(['parent'], 'folder cannot be moved inside itself'),
  },
  {
    ...{ title: 'a folder that is moved inside itself', send: 'POST /upload/actions/bulk-move', status: 400, at: errors },
    body: { folderIds: ['{top}'], destinationFolderId: '{inner}' },
    is: error([], 'folders cannot be moved inside themselves or one of its children: top'),
  },
  {
    ...{
      title: 'a folder that is moved beside one of its name',
      send: 'POST /upload/actions/bulk-move',
      status: 400,
      at: errors,
    },
    body: { folderIds: ['{inner}'], destinationFolderId: null },
    is: error([], 'some folders already exists: inner'),
  },
  {
    ...{ title: 'a folder that is moved into a missing one', send: 'POST /upload/actions/bulk-move', status: 400, at: errors },
    body: { folderIds: ['{inner}'], destinationFolderId: 99 },
    is: error(['destinationFolderId'], 'destination folder does not exist'),
  },
  {
    ...{ title: 'several administrators of whom none exists', send: 'POST /admin/users/batch-delete', body: { ids: [98, 99] } },
    ...{ status: 404, at: 'error.message', is: 'User not found' },
  },
  {
    ...{ title: 'an invitation with capitals in the address', send: 'POST /admin/users', status: 201 },
    body: { firstname: 'Ann', email: 'Ann@Mail.Test', roles: [1] },
    ...{ at: 'data.email', is: 'ann@mail.test' },
  },
  {
    title: 'administrators of whom some exist',
    send: 'POST /admin/users/batch-delete',
    body: { ids: ['{gone}', 99] },
    at: 'data.0.email',
    is: 'gone@mail.test',
  },
  {
    ...{
      title: 'a webhook to an address that nothing can be delivered to',
      send: 'POST /admin/webhooks',
      status: 400,
      at: errors,
    },
    body: { name: 'hook', url: 'ftp://mail.test', headers: {}, events: [] },
    is: error(['url'], 'url must be a valid URL'),
  },
  { title: 'a page of more than 100 entries', send: `GET ${at('memo')}?pageSize=150`, at: 'pagination.pageSize', is: 150 },
  { title: 'relations as numbers', send: `GET ${at('memo')}?sort=id`, at: 'results.0.tags', is: { count: 1 } },
  {
    ...{ title: 'a relation that the filter names as entries', send: `GET ${at('memo')}?filters[$and][0][tags][id][$eq]={memo}` },
    ...{ at: 'results.0.tags.0.id', is: '{memo}' },
  },
  {
    ...{ title: 'an editor who publishes several entries', as: 'editor', send: `POST ${at('memo')}/actions/bulkPublish` },
    ...{ body: { ids: ['{memo}'] }, at: 'count', is: 1 },
  },
  { title: 'has not changed them', send: `GET ${at('memo')}/{memo}`, at: 'updatedBy.firstname', is: 'super' },
  {
    ...{ title: 'an editor who unpublishes several entries', as: 'editor', send: `POST ${at('memo')}/actions/bulkUnpublish` },
    ...{ body: { ids: ['{memo}'] }, at: 'count', is: 1 },
  },
  { title: 'has not changed them either', send: `GET ${at('memo')}/{memo}`, at: 'updatedBy.firstname', is: 'super' },
  {
    ...{
      title: 'an editor who publishes one entry has changed it',
      as: 'editor',
      send: `POST ${at('memo')}/{memo}/actions/publish`,
    },
    ...{ at: 'updatedBy.firstname', is: 'editor' },
  },
];

describe('answers of the panel as Strapi v4 gives them', () => {
  let serving: Serving;
  let send: PanelSender;
  const ids: Record<string, number> = {};
  before(async () => {
    const config = { admin: { rateLimit: { enabled: false } }, plugins: { i18n: { enabled: true } } };
    serving = await serveModels({ models, config });
    send = await openAdministrators(serving, administrators);
    const made = async (name: string, path: string, body: object): Promise<void> => {
      const { body: answer } = await send('super', 'POST', path, body);
      ids[name] = Number((answer.data ?? answer).id);
    };
    await made('user', `/content-manager/collection-types/${users}`, {
      ...{ username: 'reader', email: 'reader@mail.test', password: 'Password1' },
    });
    await made('memo', at('memo'), { title: 'memo', owner: ids['user'], owners: [ids['user']] });
    await send('super', 'PUT', `${at('memo')}/${String(ids['memo'])}`, { tags: [ids['memo']] });
    await made('locale', '/i18n/locales', { code: 'fr', name: 'French (fr)', isDefault: false });
    await made('en', `${at('page')}?locale=en`, { title: 'en' });
    await made('fr', `${at('page')}?locale=fr&relatedEntityId=${String(ids['en'])}`, { title: 'fr' });
    await made('top', '/upload/folders', { name: 'top', parent: null });
    await made('inner', '/upload/folders', { name: 'inner', parent: ids['top'] });
    await made('other', '/upload/folders', { name: 'inner', parent: null });
    await made('gone', '/admin/users', { firstname: 'Gone', email: 'gone@mail.test', roles: [1] });
  });
  after(() => serving.stop());

  const fill = (text: string): string => text.replaceAll(/"?\{(\w+)\}"?/g, (_, name: string) => String(ids[name]));
  const filled = (value: unknown): unknown => (value === undefined ? value : JSON.parse(fill(JSON.stringify(value))));

  const times: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'publishedAt']);
  const withoutTimes = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value ?? null), (name, inner: unknown) => (times.has(name) ? undefined : inner));

  for (const { title, as = 'super', send: row, body, status = 200, at: path = '', is } of cases)
    it(title, async () => {
      const [method = '', url = ''] = row.split(' ');
      const answer = await send(as, method, fill(url), filled(body));
      const found = path.split('.').reduce<unknown>((value, name) => Object(value)[name], answer.body);
      expect([answer.status, withoutTimes(found)], JSON.stringify(answer.body)).to.deep.equal([status, filled(is)]);
    });
});
