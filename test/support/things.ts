import { createStore } from '#store/store.js';
import { ownSeal } from '#content/cursor-seal.js';
import type { ContentContext } from '#content/content-context.js';
import { noNotices } from '#base/notices.js';
import { fullAccess } from '#model/query/access.js';
import { unlimited } from '#base/limits/budget.js';
import { defaultLimits } from './default-limits.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { ContentType } from '#model/schema/content-type.js';
import { databaseOf, type FreshDatabase } from './mongo.js';
import type { TestModel } from './serve.js';

const type = (name: string, attributes: object, options: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options,
  attributes,
});

const relation = (kind: string, target: string, sides: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...sides,
});

/** A type with every kind of attribute, and what it is related to. */
export const thingModels: readonly TestModel[] = [
  type('thing', {
    name: { type: 'string' },
    note: { type: 'text' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    count: { type: 'integer' },
    price: { type: 'float' },
    big: { type: 'biginteger' },
    active: { type: 'boolean' },
    day: { type: 'date' },
    hour: { type: 'time' },
    at: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    data: { type: 'json' },
    secret: { type: 'string', private: true },
    code: { type: 'password' },
    main: { type: 'component', component: 'thing.part' },
    parts: { type: 'component', component: 'thing.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['thing.part'] },
    photo: { type: 'media' },
    subject: { type: 'relation', relation: 'morphToOne' },
    owner: relation('manyToOne', 'person', { inversedBy: 'things' }),
    tags: relation('manyToMany', 'tag', { inversedBy: 'things' }),
  }),
  type('person', {
    name: { type: 'string' },
    age: { type: 'integer' },
    things: relation('oneToMany', 'thing', { mappedBy: 'owner' }),
    boss: relation('manyToOne', 'person', { inversedBy: 'staff' }),
    staff: relation('oneToMany', 'person', { mappedBy: 'boss' }),
  }),
  type(
    'tag',
    { name: { type: 'string' }, things: relation('manyToMany', 'thing', { mappedBy: 'tags' }) },
    { draftAndPublish: true },
  ),
  {
    uid: 'thing.part',
    collectionName: 'components_thing_parts',
    info: { displayName: 'Part' },
    attributes: { label: { type: 'string' }, size: { type: 'integer' }, maker: relation('oneToOne', 'person') },
  },
];

const day = (text: string): Date => new Date(`${text}T10:00:00.000Z`);
const part = (id: number, label: string | null, size: number | null, maker: number | null = null): object => ({
  id,
  label,
  size,
  maker,
});

const nothing = {
  name: null,
  note: null,
  kind: null,
  count: null,
  price: null,
  big: null,
  active: null,
  day: null,
  hour: null,
  at: null,
  stamp: null,
  data: null,
  secret: null,
  code: null,
  main: null,
  parts: [],
  zone: [],
  photo: null,
  subject: null,
  owner: null,
  tags: [],
};

/** Five things, the fourth with nothing but an owner and a draft of a tag; as they are stored. */
export const thingDocuments: Readonly<Record<string, readonly object[]>> = {
  things: [
    {
      ...nothing,
      _id: 1,
      name: 'Alpha',
      note: 'The first\nline',
      kind: 'a',
      count: 1,
      price: 1.5,
      big: 9007199254740993n,
      active: true,
      day: '2024-01-01',
      hour: '08:00:00.000',
      at: day('2024-01-01'),
      stamp: day('2024-01-01'),
      data: { k: 'v' },
      main: part(1, 'main', 1, 1),
      parts: [part(2, 'x', 1), part(3, 'y', 2, 2)],
      owner: 1,
      tags: [1, 2],
    },
    {
      ...nothing,
      _id: 2,
      name: 'alpha',
      kind: 'b',
      count: 2,
      price: 20,
      big: 5n,
      active: false,
      day: '2024-02-01',
      hour: '09:30:00.000',
      at: day('2024-02-01'),
      data: [1, 'Two', null],
      main: part(4, null, 2),
      parts: [part(5, 'x', 5)],
      owner: 2,
      tags: [2],
    },
    {
      ...nothing,
      _id: 3,
      name: 'Beta',
      count: 3,
      price: -1,
      day: '2024-03-01',
      at: day('2024-03-01'),
      data: 'Text "quoted"',
      tags: [1],
    },
    { ...nothing, _id: 4, owner: 1, tags: [3], _ranks: { owner: 8 } },
    {
      ...nothing,
      _id: 5,
      name: 'a.b*c(É)',
      note: 'line\n',
      count: 12,
      active: true,
      kind: 'a',
      data: { a: { b: [true, 1.5, 'é\n'] } },
    },
  ].map((thing) => ({ createdAt: day('2024-01-01'), updatedAt: day('2024-01-01'), _ranks: { owner: 16 }, ...thing })),
  persons: [
    { _id: 1, name: 'Ada', age: 36, boss: null },
    { _id: 2, name: 'Bob', age: null, boss: 1 },
    { _id: 3, name: 'Cyd', age: 20, boss: 2 },
  ],
  tags: [
    { _id: 1, name: 'red', publishedAt: day('2024-01-01') },
    { _id: 2, name: 'blue', publishedAt: day('2024-01-01') },
    { _id: 3, name: 'draft', publishedAt: null },
  ],
};

export const thingRegistry = buildRegistry(thingModels).registry;

/** A content type of the registry that a test knows to be there. */
export function typeOf(uid: string, registry = thingRegistry): ContentType {
  const found = registry.types.get(uid);
  if (found === undefined) throw new Error(`no type ${uid}`);
  return found;
}

/** The context of operations, without a server. */
export function contextOf(fresh: FreshDatabase, registry = thingRegistry): ContentContext {
  return {
    store: createStore(databaseOf(fresh)),
    bind: { ...bindContext, registry },
    createsDrafts: false,
    hooks: null,
    notices: noNotices,
    cursors: ownSeal(),
    finder: null,
  };
}

/** Binds against the things, everything allowed. */
export const bindContext: ContentContext['bind'] = {
  registry: thingRegistry,
  access: fullAccess,
  limits: defaultLimits,
  budget: unlimited,
  settings: {
    defaultLimit: 25,
    maxLimit: 100,
    maxNested: 1000,
    withCount: true,
    strict: false,
    populateDeep: 0,
    roleUsers: false,
  },
  defaultLocale: 'en',
  locales: ['en', 'fr'],
};

export async function insertDocuments({ db }: FreshDatabase, documents: typeof thingDocuments): Promise<void> {
  for (const [name, rows] of Object.entries(documents)) await db.collection(name).insertMany(rows.map((row) => ({ ...row })));
}
