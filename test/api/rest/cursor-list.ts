import type { TestModel } from '../../support/serve.js';
import { collectionType } from '../../support/collection-type.js';

/** An entry as the oracle keeps it: attributes by name, relations as ids. */
export type Post = { readonly id: number } & Readonly<Record<string, unknown>>;

const relation = (kind: string, target: string): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
});

/** A list with every kind of sort key. */
export const postModels: readonly TestModel[] = [
  collectionType(
    'post',
    {
      title: { type: 'string', index: true },
      rating: { type: 'integer', index: true },
      stars: { type: 'integer' },
      price: { type: 'decimal' },
      big: { type: 'biginteger' },
      flag: { type: 'boolean' },
      at: { type: 'datetime' },
      day: { type: 'date' },
      body: { type: 'text' },
      data: { type: 'json' },
      note: { type: 'string' },
      seo: { type: 'component', component: 'cursor.part' },
      parts: { type: 'component', component: 'cursor.part', repeatable: true },
      category: relation('manyToOne', 'category'),
      tags: relation('manyToMany', 'tag'),
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType(
    'category',
    { name: { type: 'string' }, weight: { type: 'integer' }, parent: relation('manyToOne', 'tag') },
    { collectionName: 'categories' },
  ),
  collectionType('tag', { name: { type: 'string' } }),
  {
    uid: 'cursor.part',
    collectionName: 'components_cursor_parts',
    info: { displayName: 'Part' },
    attributes: { label: { type: 'string' }, size: { type: 'integer' }, tag: relation('oneToOne', 'tag') },
  },
];

/** Related entries, by type and id. Two categories have equal names, and one has none. */
export const related = {
  categories: [
    { id: 1, name: 'Rivers', weight: 2, parent: 2 },
    { id: 2, name: 'Rivers', weight: 1, parent: null },
    { id: 3, name: null, weight: 3, parent: 1 },
    { id: 4, name: 'Birds', weight: null, parent: 3 },
    { id: 5, name: 'ébène', weight: 2, parent: 2 },
  ],
  tags: [
    { id: 1, name: 'red' },
    { id: 2, name: 'blue' },
    { id: 3, name: null },
  ],
} as const;

type Values = Readonly<Record<string, unknown>>;
const category = (post: Values): Values => related.categories.find(({ id }) => id === post['category']) ?? {};
const tagOf = (id: unknown): Values => related.tags.find((tag) => tag.id === id) ?? {};
const listOf = (value: unknown): readonly Values[] => (Array.isArray(value) ? (value as readonly Values[]) : []);

/** The values of a sort key. If there are several, the least counts, in descending order the greatest. */
type ValuesOf = (post: Post) => readonly unknown[];

const own =
  (name: string): ValuesOf =>
  (post) => [post[name]];

/** Sort keys, and their values in an entry. */
export const keys: Readonly<Record<string, ValuesOf>> = {
  id: own('id'),
  title: own('title'),
  rating: own('rating'),
  stars: own('stars'),
  price: own('price'),
  big: (post) => [typeof post['big'] === 'string' ? BigInt(post['big']) : null],
  flag: own('flag'),
  at: own('at'),
  day: own('day'),
  body: own('body'),
  data: own('data'),
  'seo.label': (post) => [(post['seo'] as Values | null)?.['label']],
  'seo.tag.name': (post) => [tagOf((post['seo'] as Values | null)?.['tag'])['name']],
  'parts.size': (post) => listOf(post['parts']).map(({ size }) => size),
  'category.name': (post) => [category(post)['name']],
  'category.weight': (post) => [category(post)['weight']],
  'category.parent.name': (post) => [tagOf(category(post)['parent'])['name']],
  'tags.name': (post) => (post['tags'] as readonly number[]).map((id) => tagOf(id)['name']),
};

/** Attributes that an index sorts, so that entries with equal values have ids in the order of the key. */
const indexed: ReadonlySet<string> = new Set(['id', 'title', 'rating']);

/** A place in the oracle's list: the values of the sort keys, the last one being the id. */
export type Place = readonly { readonly value: unknown; readonly order: number }[];

export function placeOf(post: Post, sort: string): Place {
  const sorted = sort.split(',').map((key) => {
    const [path = '', word] = key.split(':');
    const order = word === 'desc' ? -1 : 1;
    const values = (keys[path]?.(post) ?? []).map((value) => value ?? null);
    return { path, order, value: values.sort((a, b) => order * compare(a, b))[0] ?? null };
  });
  const last = sorted.at(-1);
  const isDown = last !== undefined && last.order === -1 && indexed.has(last.path);
  return [...sorted, { value: post.id, order: isDown ? -1 : 1 }];
}

export function comparePlaces(one: Place, other: Place): number {
  for (const [index, { value, order }] of one.entries()) {
    const difference = order * compare(value, other[index]?.value);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares two values as the database does: null comes first, texts by their bytes. */
function compare(left: unknown, right: unknown): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === 'string' && typeof right === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(right));
  const [a, b] = [left, right] as [number, number];
  return a < b ? -1 : a > b ? 1 : 0;
}
