const { mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const uids = require('./uids');

const all = ['find', 'findOne', 'create', 'update', 'delete'];

const open = [
  ...['article', 'author', 'event', 'page'].flatMap((name) => all.map((action) => `api::${name}.${name}.${action}`)),
  ...['find', 'findOne', 'create', 'update'].map((action) => `api::tag.tag.${action}`),
  ...['find', 'update', 'delete'].map((action) => `api::setting.setting.${action}`),
];

async function grant(strapi) {
  const role = await strapi.query(uids.role).findOne({ where: { type: 'public' } });
  for (const action of [...open, 'plugin::users-permissions.user.count', 'plugin::users-permissions.user.find'])
    await strapi.query(uids.permission).create({ data: { action, role: role.id } });
}

async function addFile(strapi) {
  const path = join(mkdtempSync(join(tmpdir(), 'probe-')), 'note.txt');
  writeFileSync(path, 'a note of the probes');
  const file = {
    path,
    filepath: path,
    name: 'note.txt',
    originalFilename: 'note.txt',
    type: 'text/plain',
    mimetype: 'text/plain',
    size: 20,
  };
  const data = { fileInfo: { name: 'note.txt', alternativeText: 'a note', caption: 'first' } };
  await strapi.plugin('upload').service('upload').upload({ data, files: file });
}

async function addArticles({ entityService }) {
  const publishedAt = '2021-05-05T10:00:00.000Z';
  const full = {
    title: 'Salt',
    slug: 'salt',
    body: '# Salt',
    views: 3,
    rating: 4.5,
    total: '9007199254740000',
    featured: true,
    kind: 'news',
    day: '2020-02-29',
    at: '2020-02-29T12:30:00.000Z',
    hour: '10:20:30.000',
    extra: { a: [1, null] },
    secret: 'hidden',
    code: 'c1',
    author: 1,
    tags: [1, 2],
    cover: 1,
    gallery: [1],
    seo: { metaTitle: 'Salt!', score: 3 },
    quotes: [
      { text: 'white', stars: 5, seo: { metaTitle: 'inner' } },
      { text: 'fine', stars: 2 },
    ],
    blocks: [
      { __component: 'shared.quote', text: 'block' },
      { __component: 'shared.seo', metaTitle: 'block seo' },
    ],
    publishedAt,
  };
  await entityService.create(uids.article, { data: full });
  await entityService.create(uids.article, {
    data: { title: 'Pepper', slug: 'pepper', views: 1, author: 1, tags: [2], kind: 'essay', publishedAt },
  });
  await entityService.create(uids.article, { data: { title: 'Draft', slug: 'draft', views: 7, author: 2 } });
}

async function addOthers(strapi) {
  const { entityService } = strapi;
  await entityService.create(uids.setting, { data: { siteName: 'Kitchen', limits: { rows: 3 }, seo: { metaTitle: 'Home' } } });
  for (const [title, count] of [
    ['one', 1],
    ['two', 2],
    ['rewritten', 3],
  ])
    await entityService.create(uids.event, { data: { title, count, tag: 1 } });
  const publishedAt = '2021-05-05T10:00:00.000Z';
  await strapi.query(uids.page).create({ data: { title: 'Home', code: 'h', locale: 'en', publishedAt } });
  await strapi.query(uids.page).create({ data: { title: 'Accueil', code: 'h', locale: 'fr', publishedAt, localizations: [1] } });
  await strapi.query(uids.page).update({ where: { id: 1 }, data: { localizations: [2] } });
  await strapi.plugin('users-permissions').service('user').add({
    username: 'ann',
    email: 'ann@example.org',
    password: 'Passw0rd!',
    provider: 'local',
    confirmed: true,
    blocked: false,
    role: 1,
  });
}

/** Stores the content that every other probe starts with. */
module.exports = {
  run: async ({ strapi }) => {
    await grant(strapi);
    for (const [name, email, born] of [
      ['Ann', 'ann@example.org', '1980-01-02'],
      ['Bob', 'bob@example.org', null],
    ])
      await strapi.entityService.create(uids.author, { data: { name, email, born } });
    for (const [label, weight] of [
      ['red', 1],
      ['blue', 2],
      ['lost', 3],
    ])
      await strapi.entityService.create(uids.tag, { data: { label, weight } });
    await addFile(strapi);
    await addArticles(strapi);
    await addOthers(strapi);
    return 'seeded';
  },
};
