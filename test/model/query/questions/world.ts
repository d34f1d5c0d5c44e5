import type { Draw } from '../../../content/rights/no-leak/draw.js';
import type { TestModel } from '../../../support/serve.js';

/** How the values of a field compare. */
export type Kind = 'text' | 'choice' | 'whole' | 'float' | 'flag' | 'day' | 'moment' | 'json';

/** What leads from a type or component to rows of others. */
export interface Lead {
  /** Name in `holders`. */
  readonly to: string;
  readonly many: boolean;
}

/** A type or component, as the questions and the oracle see it. */
export interface Holder {
  readonly uid: string;
  readonly plural: string | null;
  readonly drafts: boolean;
  readonly localized: boolean;
  readonly fields: Readonly<Record<string, Kind>>;
  readonly links: Readonly<Record<string, Lead>>;
  readonly parts: Readonly<Record<string, Lead>>;
  /** Dynamic zones, and polymorphic relations to many: names in `holders`. */
  readonly zones: Readonly<Record<string, readonly string[]>>;
  readonly morphs: Readonly<Record<string, readonly string[]>>;
  /** Names among the links that no filter leads through, and no sort. */
  readonly unfiltered: readonly string[];
  /** Names among the links that filters lead through by quantifiers alone. */
  readonly quantified: readonly string[];
  readonly unsorted: readonly string[];
}

const none = {
  drafts: false,
  localized: false,
  links: {},
  parts: {},
  zones: {},
  morphs: {},
  unfiltered: [],
  quantified: [],
  unsorted: [],
};
const one = (to: string): Lead => ({ to, many: false });
const many = (to: string): Lead => ({ to, many: true });

export const holders: Readonly<Record<string, Holder>> = {
  article: {
    ...none,
    uid: 'api::article.article',
    plural: 'articles',
    drafts: true,
    localized: true,
    fields: {
      title: 'text',
      kind: 'choice',
      views: 'whole',
      rating: 'float',
      active: 'flag',
      day: 'day',
      at: 'moment',
      extra: 'json',
      locale: 'text',
      publishedAt: 'moment',
    },
    links: {
      author: one('person'),
      tags: many('tag'),
      related: many('article'),
      localizations: many('article'),
      editor: one('user'),
      readers: many('user'),
      cover: one('file'),
      files: many('file'),
    },
    quantified: ['cover', 'files'],
    parts: { main: one('part'), parts: many('part') },
    zones: { zone: ['part', 'note'] },
    morphs: { subjects: ['person', 'tag'] },
  },
  person: {
    ...none,
    uid: 'api::person.person',
    plural: 'persons',
    fields: { name: 'text', age: 'whole' },
    links: { boss: one('person'), staff: many('person'), articles: many('article'), leads: one('tag') },
  },
  tag: {
    ...none,
    uid: 'api::tag.tag',
    plural: 'tags',
    drafts: true,
    fields: { name: 'text', publishedAt: 'moment' },
    links: { articles: many('article'), lead: one('person'), mentions: many('article') },
    unfiltered: ['mentions'],
    unsorted: ['mentions'],
  },
  user: {
    ...none,
    uid: 'plugin::users-permissions.user',
    plural: 'users',
    fields: { username: 'text', provider: 'text', blocked: 'flag' },
    links: { role: one('role') },
  },
  // over REST a role does not show its users
  role: {
    ...none,
    uid: 'plugin::users-permissions.role',
    plural: 'roles',
    fields: { name: 'text', description: 'text', type: 'text' },
  },
  file: {
    ...none,
    uid: 'plugin::upload.file',
    plural: 'files',
    fields: { name: 'text', caption: 'text', width: 'whole' },
  },
  part: {
    ...none,
    uid: 'box.part',
    plural: null,
    fields: { label: 'text', size: 'whole', extra: 'json' },
    links: { maker: one('person'), fans: many('person'), image: one('file') },
    parts: { marks: many('mark') },
    quantified: ['image'],
  },
  mark: { ...none, uid: 'box.mark', plural: null, fields: { n: 'whole' } },
  note: { ...none, uid: 'box.note', plural: null, fields: { text: 'text' }, links: { maker: one('person') } },
};

/** Names of the fields that hold JSON. */
export const jsonFields: ReadonlySet<string> = new Set(
  Object.values(holders).flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name] === 'json')),
);

/** The holder of that name; a name that there is not is an error of the test. */
export function holderOf(name: string): Holder {
  const holder = holders[name];
  if (holder === undefined) throw new Error(`no holder ${name}`);
  return holder;
}

const type = (name: string, attributes: object, options: object = {}): TestModel => ({
  uid: holderOf(name).uid,
  kind: 'collectionType',
  collectionName: holderOf(name).plural,
  info: { singularName: name, pluralName: holderOf(name).plural, displayName: name },
  options: { draftAndPublish: holderOf(name).drafts },
  attributes,
  ...options,
});
const component = (name: string, attributes: object): TestModel => ({
  uid: holderOf(name).uid,
  collectionName: `components_box_${name}s`,
  info: { displayName: name },
  attributes,
});
const relation = (kind: string, to: string, sides: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: holderOf(to).uid,
  ...sides,
});
const inside = (name: string, repeatable: boolean): object => ({
  type: 'component',
  component: holderOf(name).uid,
  repeatable,
});

export const models: readonly TestModel[] = [
  type(
    'article',
    {
      title: { type: 'string' },
      kind: { type: 'enumeration', enum: ['a', 'b'] },
      views: { type: 'integer', index: true },
      rating: { type: 'float' },
      active: { type: 'boolean' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      extra: { type: 'json' },
      author: relation('manyToOne', 'person', { inversedBy: 'articles' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'articles' }),
      related: relation('oneToMany', 'article'),
      editor: relation('oneToOne', 'user'),
      readers: relation('oneToMany', 'user'),
      cover: { type: 'media', multiple: false },
      files: { type: 'media', multiple: true },
      main: inside('part', false),
      parts: inside('part', true),
      zone: { type: 'dynamiczone', components: ['part', 'note'].map((name) => holderOf(name).uid) },
      subjects: { type: 'relation', relation: 'morphToMany' },
    },
    { pluginOptions: { i18n: { localized: true } } },
  ),
  type('person', {
    name: { type: 'string' },
    age: { type: 'integer', index: true },
    boss: relation('manyToOne', 'person', { inversedBy: 'staff' }),
    staff: relation('oneToMany', 'person', { mappedBy: 'boss' }),
    articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
    leads: relation('oneToOne', 'tag', { mappedBy: 'lead' }),
  }),
  type('tag', {
    name: { type: 'string' },
    articles: relation('manyToMany', 'article', { mappedBy: 'tags' }),
    lead: relation('oneToOne', 'person', { inversedBy: 'leads' }),
    mentions: relation('morphMany', 'article', { morphBy: 'subjects' }),
  }),
  component('part', {
    label: { type: 'string' },
    size: { type: 'integer' },
    extra: { type: 'json' },
    image: { type: 'media', multiple: false },
    maker: relation('oneToOne', 'person'),
    fans: relation('oneToMany', 'person'),
    marks: inside('mark', true),
  }),
  component('mark', { n: { type: 'integer' } }),
  component('note', { text: { type: 'string' }, maker: relation('oneToOne', 'person') }),
];

/** Values of fields, as they are drawn for rows. */
export const pools: Readonly<Record<Kind, readonly unknown[]>> = {
  text: ['a', 'A', 'ab', 'aB', 'b.c', 'é', 'É', '', '.*', 'x\n', '\\', '10', 'en', '"'],
  choice: ['a', 'b'],
  whole: [-2, -1, 0, 1, 2, 10, 12],
  float: [-1.5, 0, 0.25, 1, 1.5, 20],
  flag: [true, false],
  day: ['2024-01-01', '2024-01-02', '2024-02-01', '2023-12-31'],
  moment: ['2024-01-01T10:00:00.000Z', '2024-01-02T00:00:00.000Z', '2023-12-31T23:59:59.999Z'],
  json: ['a', 'A"b', '', 7, -1e-7, 1e20, true, [], {}, ['x', 2.5, null], { a: 1, b: [true, { c: 'x\n' }] }],
};

/** What fields are compared with: JSON by its text. */
export const operands: typeof pools = { ...pools, json: ['a', '"a"', 'b', '7', '1', '00', '{', '[]', 'TRUE', ',', ''] };

/** Draws what an entry or component holds in its own fields; a fifth of them null. */
export const drawFields = ({ fields }: Holder, draw: Draw): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [name, draw.chance(0.2) ? null : (draw.of(pools[kind]) ?? null)]),
  );
