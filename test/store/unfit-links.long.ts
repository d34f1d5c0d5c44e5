import { expect } from 'chai';
import { BSONRegExp } from 'mongodb';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import type { TestModel } from '../support/serve.js';

const link = (relation: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...more,
});
const model = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string', index: true }, ...attributes },
});
const models: readonly TestModel[] = [
  { uid: 'my.part', info: { displayName: 'Part' }, attributes: { notes: link('oneToMany', 'note') } },
  model('book', {
    shelf: link('manyToOne', 'shelf'),
    shelves: link('manyToMany', 'shelf'),
    notes: link('oneToMany', 'note', { mappedBy: 'book' }),
    parts: { type: 'component', component: 'my.part', repeatable: true },
  }),
  model('shelf', { rooms: link('manyToMany', 'room') }),
  model('room', {}),
  model('note', { book: link('manyToOne', 'book', { inversedBy: 'notes' }) }),
];

/** What other programs may store as links, beside ids. The database compares lists with and without patterns in different ways. */
const odd = {
  t1: [{ $gt: 0 }, { $where: 1, id: 2 }, { a: 1 }, null, '1'],
  t2: [new BSONRegExp('1'), [1, 2], null, '1'],
} as const;

const entries = (make: (id: number) => object): object[] =>
  Array.from({ length: 20 }, (_, index) => ({ _id: index + 1, title: `t${String(index % 5)}`, ...make(index + 1) }));

/** Odd links and an id for the first two entries; for others, their own id. */
const linksOf = (id: number): readonly unknown[] => [[id], [...odd.t1, 2], [...odd.t2, 3]][id < 3 ? id : 0] ?? [];
const documents = {
  rooms: entries(() => ({})),
  shelfs: entries((id) => ({ rooms: linksOf(id) })),
  books: entries((id) => ({
    shelf: id < 3 ? linksOf(id)[0] : id,
    shelves: id === 20 ? [1] : linksOf(id),
    parts: [{ id, notes: linksOf(id) }],
  })),
  notes: [
    ...entries((book) => ({ book })),
    ...Object.entries(odd).flatMap(([title, values], row) => [
      ...values
        .filter((book) => !Array.isArray(book))
        .map((book, index) => ({ _id: 100 + 10 * row + index, title, book: book as unknown })),
      { _id: 200 + row, title, book: [...values, 4 + row] },
    ]),
  ],
};

/** The ids of the books that are found by the title of related entries. */
const filters: readonly (readonly [paths: readonly string[], found: Readonly<Record<keyof typeof odd, readonly number[]>>])[] = [
  [['[shelf]'], { t1: [7, 12, 17], t2: [3, 8, 13, 18] }],
  [['[shelves]'], { t1: [1, 7, 12, 17], t2: [2, 3, 8, 13, 18] }],
  [['[notes]'], { t1: [2, 4, 7, 12, 17], t2: [3, 5, 8, 13, 18] }],
  [['[parts][notes]'], { t1: [1, 7, 12, 17], t2: [2, 3, 8, 13, 18] }],
  [['[shelves][rooms]'], { t1: [7, 12, 17, 20], t2: [1, 2, 3, 8, 13, 18] }],
  [['[notes]', '[shelves]'], { t1: [7, 12, 17], t2: [3, 8, 13, 18] }],
];
const lists = ['sort=id', 'sort=id&pagination[withCount]=false', 'sort=shelves.rooms.title', 'sort=parts.notes.title'];

for (const idsResolved of [100_000, 3])
  describe(`stored links that are no ids, if ${String(idsResolved)} ids may be resolved`, () => {
    let server: ServingAccounts;
    let token: string;
    before(async () => {
      server = await serveAccounts({ models, documents, config: { api: { limits: { idsResolved } } } });
      const actions = ['book', 'shelf'].flatMap((name) => ['find', 'aggregate'].map((one) => `api::${name}.${name}.${one}`));
      await server.admin('PUT', '/roles/2', { actions });
      await server.admin('PUT', '/roles/2/rules', { rows: { 'api::shelf.shelf': { title: { $ne: 't1' } } } });
      token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    });
    after(() => server.stop());

    const ask = async (path: string, by: string | null = token) => {
      const { status, body } = await server.as(by, 'GET', path);
      expect(status, `${path}: ${JSON.stringify(body)}`).to.equal(200);
      return body;
    };

    for (const [paths, found] of filters)
      it(`lead to no entry: ${paths.join()}`, async () => {
        for (const title of ['t1', 't2'] as const)
          for (const list of lists) {
            const filter = paths.map((path) => `filters${path}[title]=${title}`).join('&');
            const { data } = await ask(`/api/books?${filter}&${list}&fields=title`);
            const ids = data.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b);
            expect(ids, `${filter}&${list}`).to.deep.equal(found[title]);
          }
      });

    for (const by of ['all', 'some'])
      it(`are no group or facet, with the rights of ${by}`, async () => {
        const caller = by === 'all' ? token : null;
        const groups = (await ask('/api/books/aggregate?groupBy=shelves', caller)).data;
        const { facets } = (await ask('/api/books?facets[0]=shelves&facets[1]=shelf', caller)).meta;
        const values = [groups.map(({ group }: { group: { shelves: unknown } }) => group.shelves)].concat(
          [facets.shelves, facets.shelf].map((facet) => facet.map(({ value }: { value: unknown }) => value)),
        );
        const ids = entries(() => ({})).map((_, index) => index + 1);
        const seen = by === 'all' ? ids : ids.filter((id) => id % 5 !== 2);
        const hasNull = by === 'all' ? [] : [undefined];
        const sorted = values.map((list) =>
          list.map((value: { id: number } | null) => value?.id).sort((a: number, b: number) => a - b),
        );
        expect(sorted).to.deep.equal([
          [...seen.filter((id) => id !== 20), ...hasNull],
          [...seen.filter((id) => id !== 20), ...hasNull],
          [...seen.filter((id) => id > 2), undefined],
        ]);
      });
  });
