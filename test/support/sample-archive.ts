import { hashSync } from 'bcrypt';
import { type ArchivedFile, metadata } from './pack-archive.js';

const stamps = { createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' };
const system = { createdAt: { type: 'datetime' }, updatedAt: { type: 'datetime' }, publishedAt: { type: 'datetime' } };
const relation = (kind: string, target: string, sides: object = {}) => ({ type: 'relation', relation: kind, target, ...sides });
const type = (name: string, attributes: object, more: object = {}) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  attributes: { ...attributes, ...system },
  ...more,
});
const component = (uid: string, attributes: object) => ({
  uid,
  modelType: 'component',
  collectionName: 'components_x',
  info: { displayName: uid },
  attributes,
});

const schemas = [
  type(
    'story',
    {
      title: { type: 'string', search: 'trigram' },
      big: { type: 'biginteger' },
      when: { type: 'datetime' },
      secret: { type: 'password' },
      cover: { type: 'media', multiple: false },
      pictures: { type: 'media', multiple: true },
      writer: relation('manyToOne', 'api::writer.writer', { inversedBy: 'stories' }),
      topics: relation('manyToMany', 'api::topic.topic', { inversedBy: 'stories' }),
      seo: { type: 'component', component: 'parts.seo' },
      blocks: { type: 'dynamiczone', components: ['parts.seo', 'parts.quote'] },
      about: { type: 'relation', relation: 'morphToMany' },
      locale: { type: 'string' },
      localizations: relation('oneToMany', 'api::story.story'),
    },
    { pluginOptions: { i18n: { localized: true } } },
  ),
  type('writer', {
    name: { type: 'string', unique: true },
    stories: relation('oneToMany', 'api::story.story', { mappedBy: 'writer' }),
  }),
  type('topic', {
    name: { type: 'string' },
    stories: relation('manyToMany', 'api::story.story', { mappedBy: 'topics' }),
    notes: relation('morphMany', 'api::story.story', { morphBy: 'about' }),
  }),
  type('front', { line: { type: 'string' } }, { kind: 'singleType', collectionName: 'front' }),
  component('parts.seo', { title: { type: 'string' }, image: { type: 'media', multiple: false } }),
  component('parts.quote', { text: { type: 'text', unique: true }, by: relation('oneToOne', 'api::writer.writer') }),
  { uid: 'admin::user', kind: 'collectionType', collectionName: 'admin_users', info: {}, attributes: {} },
  {
    uid: 'plugin::users-permissions.user',
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { username: { type: 'string' }, motto: { type: 'string' } },
  },
];

const entity = (uid: string, id: number, data: object) => ({ type: uid, id, data: { ...stamps, ...data } });
const story = (id: number, data: object) =>
  entity('api::story.story', id, { locale: 'en', publishedAt: stamps.createdAt, ...data });
const file = (id: number, data: object) =>
  entity('plugin::upload.file', id, {
    name: `f${String(id)}`,
    mime: 'image/png',
    size: 1,
    provider: 'cloud',
    folderPath: '/',
    ...data,
  });

const hash = hashSync('Passw0rd', 4);

const entities = [
  file(1, {
    hash: 'sea_1',
    ext: '.png',
    url: '/uploads/sea_1.png',
    formats: {
      thumbnail: {
        hash: 'thumbnail_sea_1',
        ext: '.png',
        url: '/uploads/thumbnail_sea_1.png',
        mime: 'image/png',
        width: 1,
        height: 1,
      },
    },
  }),
  file(2, { hash: 'far_2', ext: '.png', url: 'https://cdn.test/far_2.png', formats: null }),
  entity('plugin::users-permissions.role', 1, { name: 'Authenticated', type: 'authenticated' }),
  entity('plugin::users-permissions.role', 2, { name: 'Public', type: 'public', _rules: 'none' }),
  entity('plugin::users-permissions.role', 7, {
    name: 'Editor',
    type: 'editor',
    _rules: { fields: {}, rows: { 'api::story.story': { title: { $eq: 'Salt' } } } },
  }),
  entity('plugin::users-permissions.permission', 5, { action: 'api::story.story.find' }),
  entity('plugin::users-permissions.user', 3, {
    username: 'ann',
    email: 'ann@mail.test',
    password: hash,
    motto: 'on',
    confirmed: true,
    blocked: false,
    provider: 'local',
    resetPasswordToken: 'a-code',
  }),
  entity('plugin::i18n.locale', 1, { code: 'en', name: 'English (en)' }),
  entity('plugin::i18n.locale', 2, { code: 'fr', name: 'French (fr)' }),
  entity('api::writer.writer', 1, { name: 'Ada' }),
  entity('api::writer.writer', 4, { name: 'Bo' }),
  entity('api::topic.topic', 1, { name: 'sea', publishedAt: null }),
  entity('api::topic.topic', 2, { name: 'air', publishedAt: stamps.createdAt }),
  story(10, {
    title: 'Salt',
    big: '9007199254740993',
    when: '2024-05-05T10:00:00.000Z',
    seo: { id: 21, title: 'S' },
    blocks: [
      { __component: 'parts.quote', id: 31, text: 'q' },
      { __component: 'parts.seo', id: 22, title: 'T' },
    ],
  }),
  story(11, { title: 'Sel', locale: 'fr', publishedAt: null, blocks: [] }),
  story(12, { title: 'Wind', when: 'soon', blocks: [{ __component: 'parts.gone', id: 1 }] }),
  entity('api::front.front', 1, { line: 'hello', publishedAt: stamps.createdAt }),
  entity('admin::user', 1, { email: 'root@mail.test' }),
  entity('plugin::menus.menu', 1, { title: 'main' }),
];

const end = (uid: string, ref: number, field?: string, pos?: number) => ({
  type: uid,
  ref,
  ...(field !== undefined && { field }),
  ...(pos !== undefined && { pos }),
});
const from = (ref: number, field: string, pos?: number) => end('api::story.story', ref, field, pos);
const link = (left: object, right: object, kind = 'relation.basic') => ({ kind, relation: 'x', left, right });
const media = (ref: number, right: object) => link(end('plugin::upload.file', ref, 'related'), right, 'relation.morph');

const links = [
  media(2, from(10, 'pictures', 2)),
  media(1, from(10, 'pictures', 1)),
  media(1, from(10, 'cover', 1)),
  media(1, end('parts.seo', 22, 'image', 1)),
  link(end('plugin::users-permissions.permission', 5, 'role'), end('plugin::users-permissions.role', 2, 'permissions', 1)),
  link(end('plugin::users-permissions.user', 3, 'role'), end('plugin::users-permissions.role', 7, 'users', 1)),
  link(from(10, 'writer'), end('api::writer.writer', 1, 'stories', 2)),
  link(from(12, 'writer'), end('api::writer.writer', 1, 'stories', 1)),
  link(from(10, 'topics', 2), end('api::topic.topic', 1, 'stories', 2)),
  link(from(10, 'topics', 1), end('api::topic.topic', 2, 'stories', 1)),
  link(from(12, 'topics', 1), end('api::topic.topic', 1, 'stories', 1)),
  link(from(10, 'localizations', 1), from(11, 'localizations'), 'relation.circular'),
  link(from(11, 'localizations', 1), from(10, 'localizations'), 'relation.circular'),
  link(end('parts.quote', 31, 'by'), end('api::writer.writer', 4)),
  link(from(12, 'about'), end('api::topic.topic', 2, 'notes', 1), 'relation.morph'),
  link(from(10, 'createdBy'), end('admin::user', 1)),
  link(from(10, 'nothing'), end('api::writer.writer', 1)),
];

const configuration = [
  { type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: 'fr' } },
  { type: 'core-store', value: { key: 'plugin_users-permissions_advanced', value: { allow_register: false, unknown: 1 } } },
  {
    type: 'core-store',
    value: { key: 'plugin_users-permissions_grant', value: { email: { enabled: true }, github: { enabled: true } } },
  },
];

export const picture = Buffer.from('the bytes of a picture');

/** A small project as `strapi export` writes it. */
export const sampleArchive: readonly ArchivedFile[] = [
  { name: 'schemas/schemas_00001.jsonl', content: schemas },
  { name: 'entities/entities_00001.jsonl', content: entities },
  { name: 'assets/uploads/sea_1.png', content: picture },
  { name: 'assets/uploads/thumbnail_sea_1.png', content: 'small' },
  { name: 'assets/uploads/nobodys.png', content: 'x' },
  { name: 'links/links_00001.jsonl', content: links },
  { name: 'configuration/configuration_00001.jsonl', content: configuration },
  metadata,
];
