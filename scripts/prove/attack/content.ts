import { coreActions } from '../../../src/content/rights/known-actions.js';
import { readAll } from '../../../src/store/send/read-commands.js';
import { writeModels } from '../../../src/store/stores/model-store.js';
import type { Backend } from '../../../src/store/models/open-backend.js';
import { actionOf } from '../../../src/model/query/access.js';

const types = ['article', 'author', 'category', 'comment', 'tag', 'issue', 'note', 'essay'] as const;
const reading = coreActions.filter((action) => action === 'find' || action === 'findOne');

/** Actions of the public: to read everything, and to log in. */
export const openActions: readonly string[] = [
  ...types.flatMap((name) => reading.map((action) => actionOf(`api::${name}.${name}`, action))),
  actionOf('api::homepage.homepage', 'find'),
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
  'plugin::users-permissions.auth.callback',
];

/** A type with a polymorphic relation and an unbounded list of components, which the demo does not have. */
const note = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: false },
  attributes: {
    text: { type: 'string' },
    about: { type: 'relation', relation: 'morphToMany' },
    links: { type: 'component', component: 'shared.link', repeatable: true },
  },
} as const;

/** A type with large entries. */
const essay = {
  uid: 'api::essay.essay',
  kind: 'collectionType',
  collectionName: 'essays',
  info: { singularName: 'essay', pluralName: 'essays', displayName: 'Essay' },
  options: { draftAndPublish: false },
  attributes: { text: { type: 'text' } },
} as const;

const part = {
  uid: 'panel.part',
  info: { displayName: 'Part' },
  attributes: { title: { type: 'string' }, note: { type: 'string' } },
} as const;

/** A type whose fields and locales roles of the panel restrict. */
const memo = {
  uid: 'api::memo.memo',
  kind: 'collectionType',
  collectionName: 'memos',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true } },
  attributes: {
    title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    secret: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    slug: { type: 'uid', targetField: 'title' },
    shown: { type: 'component', component: 'panel.part' },
    hidden: { type: 'component', component: 'panel.part' },
    other: { type: 'relation', relation: 'oneToOne', target: 'api::memo.memo' },
    note: { type: 'relation', relation: 'oneToOne', target: 'api::note.note' },
  },
} as const;

/** A type that clients push to. */
const leaf = {
  uid: 'api::leaf.leaf',
  kind: 'collectionType',
  collectionName: 'leaves',
  info: { singularName: 'leaf', pluralName: 'leaves', displayName: 'Leaf' },
  options: { draftAndPublish: false },
  pluginOptions: { sync: { enabled: true } },
  attributes: {
    title: { type: 'string' },
    count: { type: 'integer' },
    large: { type: 'biginteger' },
    data: { type: 'json' },
    link: { type: 'component', component: 'shared.link' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::leaf.leaf' },
  },
} as const;

const essays = 2_000;
const authors = 130;
const articles = 20_000;
const notes = 50;

/**
 * Adds types for the panel, 20,000 articles of 2 kB, 150 to an author and all in the same categories, notes about notes, and essays of 10
 * kB.
 */
export async function addRelatedEntries(backend: Backend): Promise<void> {
  const { database } = backend.store;
  if (backend.models.snapshot.registry.types.has(note.uid)) return;
  await writeModels(database, [note, essay, part, memo, leaf]);
  await backend.models.load();
  const rows = async (collection: string): Promise<readonly Record<string, unknown>[]> =>
    readAll(database, { find: collection, limit: 1, sort: { _id: 1 } });
  const [author] = await rows('authors');
  const [article] = await rows('articles');
  const insert = (collection: string, count: number, make: (n: number) => object): Promise<unknown> =>
    database.db.collection<{ _id: number }>(collection).insertMany(
      Array.from({ length: count }, (_, n) => ({ ...make(n), _id: 1_001 + n })),
      { ordered: false },
    );
  await insert('authors', authors, (n) => ({ ...author, name: `Author ${String(n)}`, slug: `author-${String(n)}`, email: null }));
  await insert('articles', articles, (n) => ({
    ...article,
    _group: `attack-${String(n)}`,
    title: `Article ${String(n)}`,
    slug: `article-${String(n)}`,
    body: 'mangrove '.repeat(220),
    author: 1_001 + (n % authors),
    categories: [1, 2, 3],
    locale: 'en',
    publishedAt: new Date(),
    _ranks: {},
  }));
  await insert('leaves', 1, () => ({ title: 'leaf', count: 1 }));
  await insert('notes', notes, (n) => ({
    text: `Note ${String(n)}`,
    about: [
      { __type: 'api::note.note', id: 1_001 + ((n + 1) % notes) },
      { __type: 'api::author.author', id: 1_001 + n },
    ],
    createdAt: new Date(),
    updatedAt: new Date(),
  }));
  await insert('essays', essays, (n) => ({
    text: `${String(n)} ${'mangrove '.repeat(1_110)}`,
    createdAt: new Date(),
    updatedAt: new Date(),
  }));
}
