import { readFileSync } from 'node:fs';

/** The content types of the conformance recordings. */
export const models = JSON.parse(
  readFileSync(new URL('../../fixtures/graphql/conformance-models.json', import.meta.url), 'utf8'),
) as readonly {
  readonly uid: string;
}[];

const at = new Date('2024-01-02T03:04:05.678Z');
const times = { createdAt: at, updatedAt: at };

const article = (id: number, values: object) => ({
  _id: id,
  title: `Article ${String(id)}`,
  views: id * 10,
  author: id % 2 === 0 ? 2 : 1,
  categories: [1, 2, 3].slice(0, id % 4),
  publishedAt: at,
  ...times,
  ...values,
});

/** Twelve articles, the last one a draft, with what they lead to; as they are stored. */
export const documents: Readonly<Record<string, readonly object[]>> = {
  authors: [
    { _id: 1, name: 'Ada', age: 36, ...times },
    { _id: 2, name: 'Grace', age: 85, ...times },
    { _id: 3, name: 'Nobody', ...times },
  ],
  categories: [
    { _id: 1, name: 'Science', ...times },
    { _id: 2, name: 'Art', ...times },
    { _id: 3, name: 'History', ...times },
  ],
  tags: [
    { _id: 1, label: 'red', hot: true, ...times },
    { _id: 2, label: 'blue', hot: false, ...times },
  ],
  articles: [
    article(1, {
      big: 9007199254740993n,
      status: 'done',
      happensAt: at,
      publishedOn: '2024-02-03',
      startsAt: '10:20:30.000',
      meta: { a: [1] },
      featured: true,
      seo: { id: 1, metaTitle: 'Meta', noIndex: false },
      sections: [
        {
          id: 1,
          heading: 'B',
          pos: 2,
          links: [
            { id: 1, label: 'one', url: '/1' },
            { id: 2, label: 'two', url: '/2' },
          ],
        },
        { id: 2, heading: 'A', pos: 1, cta: { id: 3, label: 'go', url: '/go' } },
        { id: 3, heading: 'C', pos: 3 },
      ],
      blocks: [
        { __component: 'blocks.rich-text', id: 1, body: 'text' },
        { __component: 'blocks.quote', id: 2, text: 'said', by: 'her' },
      ],
      tags: [2, 1],
      dossier: 1,
    }),
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((id) => article(id, {})),
    article(12, { publishedAt: null }),
  ],
  vaults: [{ _id: 1, name: 'hidden', ...times }],
  pages: [
    { _id: 1, title: 'Home', locale: 'en', _group: 1, publishedAt: at, ...times },
    { _id: 2, title: 'Accueil', locale: 'fr', _group: 1, publishedAt: at, ...times },
    { _id: 3, title: 'Start', locale: 'de', _group: 1, publishedAt: null, ...times },
    { _id: 4, title: 'About', locale: 'en', _group: 4, publishedAt: at, ...times },
  ],
  homepages: [{ _id: 1, headline: 'Front', featured: [3, 1], publishedAt: at, ...times }],
  banners: [
    { _id: 1, text: 'Hello', locale: 'en', _group: 1, ...times },
    { _id: 2, text: 'Bonjour', locale: 'fr', _group: 1, ...times },
  ],
};
