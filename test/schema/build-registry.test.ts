import { expect } from 'chai';
import { buildRegistry, type RegistryBuild } from '../../src/schema/build-registry.js';
import { defaultModelSettings } from '../../src/schema/build-content-type.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, attributes: object = {}, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, ...attributes },
  ...rest,
});
const relation = (kind: string, target: string, sides: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...sides,
});

const book = model('book', { author: relation('manyToOne', 'author', { inversedBy: 'books' }) });
const author = model('author', { books: relation('oneToMany', 'book', { mappedBy: 'author' }) });
const part: TestModel = { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { label: { type: 'string' } } };
const page = model('page', { parts: { type: 'component', component: 'shared.part', repeatable: true } });

const build = (models: readonly TestModel[], previous?: RegistryBuild): RegistryBuild =>
  buildRegistry(models, defaultModelSettings, previous);

/** uids of the application's own models with the names of their attributes, as they are in force. */
const inForce = ({ models }: RegistryBuild): Record<string, string[]> =>
  Object.fromEntries(
    [...models.values()]
      .filter(({ uid }) => !/^(plugin|admin)::/.test(uid))
      .map(({ uid, attributes }) => [uid.replace(/.*\./, ''), Object.keys(attributes)]),
  );
const problemsOf = ({ problems }: RegistryBuild): Record<string, string> =>
  Object.fromEntries([...problems].map(([uid, lines]) => [uid, lines.join('; ')]));

interface Case {
  readonly what: string;
  readonly before: readonly TestModel[] | null;
  readonly after: readonly TestModel[];
  readonly inForce: Readonly<Record<string, readonly string[]>>;
  readonly problems: Readonly<Record<string, RegExp>>;
}

const bookKeys = ['title', 'author'];
const authorKeys = ['title', 'books'];
const cases: readonly Case[] = [
  { what: 'good models', before: null, after: [author, book], inForce: { author: authorKeys, book: bookKeys }, problems: {} },
  {
    what: 'a model whose target is not there, at the first start',
    before: null,
    after: [book, page, part],
    inForce: { page: ['title', 'parts'], part: ['label'] },
    problems: { 'api::book.book': /unknown content type "api::author\.author"/ },
  },
  {
    what: 'a change for the worse',
    before: [author, book],
    after: [author, { ...book, attributes: { title: { type: 'nonsense' } } }],
    inForce: { author: authorKeys, book: bookKeys },
    problems: { 'api::book.book': /nonsense/ },
  },
  {
    what: 'a side of a relation taken away alone',
    before: [author, book],
    after: [model('author'), book],
    inForce: { author: authorKeys, book: bookKeys },
    problems: { 'api::author.author': /api::book\.book still needs it as it was: .*no relation "books"/ },
  },
  {
    what: 'both sides of a relation taken away',
    before: [author, book],
    after: [model('author'), model('book')],
    inForce: { author: ['title'], book: ['title'] },
    problems: {},
  },
  {
    what: 'a type removed that another one points to',
    before: [author, book, page, part],
    after: [book, page, part],
    inForce: { book: bookKeys, page: ['title', 'parts'], part: ['label'], author: authorKeys },
    problems: { 'api::author.author': /api::book\.book still needs it as it was: .*unknown content type/ },
  },
  {
    what: 'a component removed that a type holds',
    before: [page, part],
    after: [page],
    inForce: { page: ['title', 'parts'], part: ['label'] },
    problems: { 'shared.part': /api::page\.page still needs it/ },
  },
  {
    what: 'a type and what points to it removed together',
    before: [author, book, page, part],
    after: [page, part],
    inForce: { page: ['title', 'parts'], part: ['label'] },
    problems: {},
  },
  {
    what: 'a new model with the name of one that is there, sorted before it',
    before: [page, part],
    after: [{ ...model('page'), uid: 'api::a.page' }, page, part],
    inForce: { page: ['title', 'parts'], part: ['label'] },
    problems: { 'api::a.page': /taken by api::page\.page/ },
  },
  {
    what: 'a changed model that takes the name of another',
    before: [model('alpha'), page, part],
    after: [{ ...model('alpha'), info: page['info'] }, page, part],
    inForce: { alpha: ['title'], page: ['title', 'parts'], part: ['label'] },
    problems: { 'api::alpha.alpha': /taken by api::page\.page/ },
  },
  {
    what: 'a new relation before its other side',
    before: [author, book],
    after: [author, book, model('award', { book: relation('manyToOne', 'book', { inversedBy: 'awards' }) })],
    inForce: { author: authorKeys, book: bookKeys },
    problems: { 'api::award.award': /no relation "awards"/ },
  },
  {
    what: 'the other side of a polymorphic relation that leads elsewhere',
    before: null,
    after: [
      model('note', { about: { type: 'relation', relation: 'morphToMany', target: ['api::note.note'] } }),
      model('film', { notes: { type: 'relation', relation: 'morphMany', target: 'api::note.note', morphBy: 'about' } }),
    ],
    inForce: { note: ['title', 'about'] },
    problems: { 'api::film.film': /api::note.note.about does not lead to this type/ },
  },
  {
    what: 'a component that holds itself',
    before: null,
    after: [{ ...part, attributes: { inner: { type: 'component', component: 'shared.part' } } }],
    inForce: {},
    problems: { 'shared.part': /holds itself/ },
  },
];

describe('buildRegistry', () => {
  for (const { what, before, after, inForce: expected, problems } of cases)
    it(what, () => {
      const previous = before === null ? undefined : build(before);
      if (previous !== undefined) expect(problemsOf(previous)).to.deep.equal({});
      const result = build(after, previous);
      expect(inForce(result)).to.deep.equal(expected);
      expect(Object.keys(problemsOf(result)).sort()).to.deep.equal(Object.keys(problems).sort());
      for (const [uid, reason] of Object.entries(problems)) expect(problemsOf(result)[uid]).to.match(reason);
    });

  it('a model that is refused goes into force once its other side is there', () => {
    const first = build([book]);
    expect(problemsOf(first)).to.have.all.keys('api::book.book');
    const second = build([author, book], first);
    expect(problemsOf(second)).to.deep.equal({});
    expect(inForce(second)).to.deep.equal({ author: authorKeys, book: bookKeys });
  });

  it('the version rises with every snapshot', () => {
    const first = build([page, part]);
    expect(build([page, part], first).registry.version).to.equal(first.registry.version + 1);
  });

  it('only what has changed is built anew', () => {
    const user = { uid: 'plugin::users-permissions.user', attributes: { age: { type: 'integer' } } };
    const before = build([author, book, page, part, user]);
    const [title, own] = [{ title: { type: 'text' } }, { age: { type: 'integer' } }];
    const changed = { ...page, attributes: { ...(page['attributes'] as object), ...title } };
    const after = build(structuredClone([author, book, changed, part, { ...user, attributes: own }]), before);
    const anew = [...after.registry.types].filter(([uid, type]) => before.registry.types.get(uid) !== type).map(([uid]) => uid);
    expect(anew).to.deep.equal(['api::page.page']);
  });
});

/** Attributes and models alone: what is wrong with each. */
const refused: readonly (readonly [string, object, RegExp])[] = [
  ['a reserved attribute', { createdAt: { type: 'string' } }, /createdAt is a reserved name/],
  ['a reserved attribute in another spelling', { published_at: { type: 'string' } }, /published_at is a reserved name/],
  ['an attribute name that is none', { 'a-b': { type: 'string' } }, /attributes/],
  ['an enumeration without values', { kind: { type: 'enumeration', enum: [] } }, /enum/],
  ['an enumeration value that begins with a digit', { kind: { type: 'enumeration', enum: ['1a'] } }, /must begin with a letter/],
  ['enumeration values that are too close', { kind: { type: 'enumeration', enum: ['a b', 'a_b'] } }, /too close/],
  ['a component attribute without a component', { part: { type: 'component' } }, /component must name a component/],
  ['an unknown component', { part: { type: 'component', component: 'shared.prat' } }, /did you mean "shared.part"/],
  ['an unknown relation', { other: relation('manyToNone', 'page') }, /relation/],
  ['a plain relation to several types', { other: { ...relation('oneToOne', 'page'), target: ['api::thing.thing'] } }, /target/],
  [
    'an unknown target of a polymorphic relation',
    { any: { type: 'relation', relation: 'morphToMany', target: ['api::thing.thing', 'api::thnig.thnig'] } },
    /unknown content type "api::thnig.thnig", did you mean "api::thing.thing"/,
  ],
  ['a unique boolean', { flag: { type: 'boolean', unique: true } }, /unique is not possible/],
  ['a uid of no attribute', { slug: { type: 'uid', targetField: 'nope' } }, /targetField "nope"/],
  ['a regular expression that is none', { name: { type: 'string', regex: '(' } }, /regex/],
];

describe('refused models', () => {
  for (const [what, attributes, reason] of refused)
    it(what, () => {
      const { problems } = build([model('thing', attributes), part]);
      expect(problems.get('api::thing.thing')?.join('; ')).to.match(reason);
    });
});
