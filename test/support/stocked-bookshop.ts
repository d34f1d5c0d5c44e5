const at = (index: number): Date => new Date(Date.UTC(2024, 0, 1) + index * 60_000);
const times = (index: number) => ({ createdAt: at(index), updatedAt: at(index) });
const rows = (count: number, row: (id: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => ({ _id: index + 1, ...times(index), ...row(index + 1) }));

/** Every tenth entry is a draft. */
const state = (id: number) => ({ publishedAt: id % 10 === 0 ? null : at(id) });

const book = (id: number): object => ({
  title: `Book ${String(id)}`,
  isbn: `1000-${String(id)}`,
  pages: id,
  locale: 'en',
  _group: id,
  ...state(id),
  authors: [(id % 20) + 1, ((id + 7) % 20) + 1],
  publisher: (id % 5) + 1,
  _ranks: { publisher: id * 16, authors: { [(id % 20) + 1]: id * 16, [((id + 7) % 20) + 1]: id * 16 } },
  genres: [(id % 10) + 1],
  seo: { id, title: 'Seo', image: 1 },
  editions: [
    { id: id * 2, number: 1, printer: 1, links: [{ id, label: 'Link', book: 1 }] },
    { id: id * 2 + 1, number: 2, printer: 2, links: [] },
  ],
  content: [
    { id, __component: 'blocks.quote', text: 'Quote', author: (id % 20) + 1 },
    { id, __component: 'blocks.rich-text', body: 'Text' },
    { id, __component: 'blocks.book-list', title: 'List', books: [1, 2], more: null },
  ],
});

/** 200 books of the bookshop with 20 authors, 5 publishers, 10 genres, 600 reviews, 100 readers and two locales, as they are stored. */
export const stockedBookshop: Readonly<Record<string, readonly object[]>> = {
  books: rows(200, book),
  authors: rows(20, (id) => ({ name: `Author ${String(id)}`, agent: (id % 5) + 1, _ranks: { agent: id } })),
  houses: rows(5, (id) => ({ name: `House ${String(id)}`, parent: id === 1 ? null : 1, _ranks: { parent: id } })),
  genres: rows(10, (id) => ({ name: `Genre ${String(id)}`, parent: null })),
  reviews: rows(600, (id) => ({ rating: (id % 5) + 1, book: (id % 200) + 1, _ranks: { book: id * 16 }, ...state(id) })),
  readers: rows(100, (id) => ({ nickname: `Reader ${String(id)}`, card: id % 2 === 0 ? id : null })),
  membership_cards: rows(100, (id) => ({ number: id })),
  i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, ...times(index) })),
  files: rows(1, () => ({ name: 'a.png', mime: 'image/png', hash: 'a', url: '/a.png', provider: 'local', size: 1 })),
};
