import { expect } from 'chai';
import { historyOption } from '#api/history/history-option.js';
import { buildRegistry, changedTypes, type RegistryBuild } from '#model/schema/build-registry.js';
import { matches } from '#model/schema/linear-regex.js';
import { enumValueName, namedValues } from '#model/schema/enum-names.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { describeReport, reportModels, warningText } from '#model/schema/report-models.js';
import type { TestModel } from '../../support/serve.js';

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
  buildRegistry(models, { ...defaultModelSettings, options: [historyOption], paths: ['users'] }, previous);

/** uids of the application's own models with the names of their attributes, as they are in force. */
const inForce = ({ models }: RegistryBuild): Record<string, string[]> =>
  Object.fromEntries(
    [...models.values()]
      .filter(({ uid }) => !/^(plugin|admin)::/.test(uid))
      .map(({ uid, attributes }) => [uid.replace(/.*\./, ''), Object.keys(attributes)]),
  );
const problemsOf = ({ problems }: RegistryBuild): Record<string, string> =>
  Object.fromEntries([...problems].map(([uid, lines]) => [uid, lines.join('; ')]));
const warningsOf = ({ warnings }: RegistryBuild): Record<string, string> =>
  Object.fromEntries([...warnings].map(([uid, found]) => [uid, found.map(warningText).join('; ')]));

/** Every key of one is in the other, and its pattern matches there. */
function expectTexts(found: Readonly<Record<string, string>>, expected: Readonly<Record<string, RegExp>>): void {
  expect(Object.keys(found).sort()).to.deep.equal(Object.keys(expected).sort());
  for (const [uid, text] of Object.entries(expected)) expect(found[uid]).to.match(text);
}

interface Case {
  readonly what: string;
  readonly before: readonly TestModel[] | null;
  readonly after: readonly TestModel[];
  readonly inForce: Readonly<Record<string, readonly string[]>>;
  readonly problems: Readonly<Record<string, RegExp>>;
  readonly warnings?: Readonly<Record<string, RegExp>>;
}

const bookKeys = ['title', 'author'];
const authorKeys = ['title', 'books'];
const cases: readonly Case[] = [
  { what: 'good models', before: null, after: [author, book], inForce: { author: authorKeys, book: bookKeys }, problems: {} },
  {
    what: 'references to missing types and components, at the first start',
    before: null,
    after: [book, page],
    inForce: { book: bookKeys, page: ['title', 'parts'] },
    problems: {},
    warnings: {
      'api::book.book': /author: unknown content type "api::author\.author": the attribute is left out/,
      'api::page.page': /parts: unknown component "shared\.part": the attribute is left out/,
    },
  },
  {
    what: 'options that mean nothing',
    before: null,
    after: [
      {
        ...model('book', { title: { type: 'string', pluginOptions: { i18n: { localised: true } } } }),
        options: { comment: '', historic: {}, populateCreatorField: true },
        pluginOptions: { 'content-manager': { visible: false }, sync: { enable: true }, schedul: { enabled: true } },
      },
    ],
    inForce: { book: ['title'] },
    problems: {},
    warnings: {
      'api::book.book': new RegExp(
        [
          'options\\.historic is not a key of models and ignored; did you mean history\\?',
          'options\\.populateCreatorField is not .* populateCreatorFields\\?',
          'pluginOptions\\.sync\\.enable is not .* enabled\\?',
          'pluginOptions\\.schedul is not .* schedule\\?',
          'title: \\.pluginOptions\\.i18n\\.localised is not .* localized\\?$',
        ].join('; '),
      ),
    },
  },
  {
    what: 'misspelt keys',
    before: null,
    after: [
      {
        ...model('book', { title: { type: 'string', requird: true, minLenght: 3, tooltip: 'shown by a panel' } }),
        options: { draftAndPublsh: true },
      },
    ],
    inForce: { book: ['title'] },
    problems: {},
    warnings: {
      'api::book.book':
        /^options\.draftAndPublsh .* draftAndPublish\?; title: \.requird .* required\?; title: \.minLenght .* minLength\?$/,
    },
  },
  ...[
    { type: 'integer', default: 'many' },
    { type: 'boolean', default: 'perhaps' },
    { type: 'enumeration', enum: ['red', 'green'], default: 'blue' },
    { type: 'string', default: { a: 1 } },
    { type: 'string', default: 'a\0' },
    { type: 'integer', default: 1.5 },
    { type: 'integer', default: '1.5' },
    { type: 'float', default: 'Infinity' },
    { type: 'biginteger', default: '9223372036854775808' },
    { type: 'biginteger', default: 1.5 },
    { type: 'date', default: 'now' },
    { type: 'date', default: '2023-02-29' },
    { type: 'time', default: 'now' },
    { type: 'time', default: '24:00' },
    { type: 'time', default: '9:00' },
    { type: 'datetime', default: 'now' },
    { type: 'datetime', default: 'CURRENT_TIMESTAMP' },
    { type: 'timestamp', default: 'now' },
    { type: 'password', default: 12 },
    { type: 'password', default: 'a'.repeat(73) },
    { type: 'blocks', default: 'text' },
  ].map((definition) => ({
    what: `a default of another type: ${JSON.stringify(definition)}`,
    before: null,
    after: [part, model('book', { title: definition })],
    inForce: { part: ['label'], book: ['title'] },
    problems: {},
    warnings: { 'api::book.book': /^title: \.default: .* is not of type .* and is ignored$/ },
  })),
  ...[
    { type: 'integer', default: '5' },
    { type: 'boolean', default: 'true' },
    { type: 'enumeration', enum: ['red', 'green'], default: 'red' },
    { type: 'json', default: '{}' },
    { type: 'time', default: '09:00' },
    { type: 'time', default: '09:00:30.5' },
    { type: 'biginteger', default: '-9223372036854775808' },
    { type: 'date', default: '0000-02-29' },
    { type: 'datetime', default: '2024-02-29' },
    { type: 'timestamp', default: 0 },
    { type: 'blocks', default: [] },
    { type: 'string', default: null },
  ].map((definition) => ({
    what: `a default that its attribute can have: ${JSON.stringify(definition)}`,
    before: null,
    after: [model('book', { title: definition })],
    inForce: { book: ['title'] },
    problems: {},
  })),
  {
    what: 'a model that becomes invalid',
    before: [author, book],
    after: [author, { ...book, attributes: { title: { type: 'strnig' } } }],
    inForce: { author: authorKeys, book: bookKeys },
    problems: { 'api::book.book': /strnig/ },
  },
  {
    what: 'one side of a relation removed',
    before: [author, book],
    after: [model('author'), book],
    inForce: { author: ['title'], book: bookKeys },
    problems: {},
    warnings: {
      'api::book.book': /author: api::author\.author\.books is not the other side of this relation: it is served one-way/,
    },
  },
  {
    what: 'the owning side of a relation removed',
    before: [author, book],
    after: [author, model('book')],
    inForce: { author: authorKeys, book: ['title'] },
    problems: {},
    warnings: { 'api::author.author': /books: api::book\.book\.author is not the other side of this relation: it stays empty/ },
  },
  {
    what: 'both sides of a relation removed',
    before: [author, book],
    after: [model('author'), model('book')],
    inForce: { author: ['title'], book: ['title'] },
    problems: {},
  },
  {
    what: 'a type removed that another one refers to',
    before: [author, book, page, part],
    after: [book, page, part],
    inForce: { book: bookKeys, page: ['title', 'parts'], part: ['label'] },
    problems: {},
    warnings: { 'api::book.book': /author: unknown content type/ },
  },
  {
    what: 'a component removed that a type contains',
    before: [page, part],
    after: [page],
    inForce: { page: ['title', 'parts'] },
    problems: {},
    warnings: { 'api::page.page': /parts: unknown component/ },
  },
  {
    what: 'a type removed together with the relation to it',
    before: [author, book, page, part],
    after: [page, part],
    inForce: { page: ['title', 'parts'], part: ['label'] },
    problems: {},
  },
  {
    what: 'a new model with the name of an existing one, sorted before it',
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
    inForce: { author: authorKeys, award: ['title', 'book'], book: bookKeys },
    problems: {},
    warnings: { 'api::award.award': /book: api::book\.book\.awards is not the other side/ },
  },
  {
    what: 'the other side of a polymorphic relation that leads elsewhere',
    before: null,
    after: [
      model('note', { about: { type: 'relation', relation: 'morphToMany', target: ['api::note.note'] } }),
      model('film', { notes: { type: 'relation', relation: 'morphMany', target: 'api::note.note', morphBy: 'about' } }),
    ],
    inForce: { film: ['title', 'notes'], note: ['title', 'about'] },
    problems: {},
    warnings: { 'api::film.film': /notes: api::note.note.about does not lead to this type: it stays empty/ },
  },
  {
    what: 'a component that contains itself',
    before: null,
    after: [{ ...part, attributes: { inner: { type: 'component', component: 'shared.part' } } }],
    inForce: { part: ['inner'] },
    problems: {},
    warnings: { 'shared.part': /inner: shared\.part contains shared\.part: the attribute is left out/ },
  },
];

describe('buildRegistry', () => {
  for (const { what, before, after, inForce: expected, problems, warnings = {} } of cases)
    it(what, () => {
      const previous = before === null ? undefined : build(before);
      if (previous !== undefined) expect(problemsOf(previous)).to.deep.equal({});
      const result = build(after, previous);
      expect(inForce(result)).to.deep.equal(expected);
      expectTexts(problemsOf(result), problems);
      expectTexts(warningsOf(result), warnings);
    });

  it('adds a type or attribute that was left out once its target exists; the order of the models does not matter', () => {
    const first = build([book, page]);
    expect([...(first.registry.types.get('api::book.book')?.attributes.keys() ?? [])]).to.not.include('author');
    const second = build([author, book, page, part], first);
    expect(warningsOf(second)).to.deep.equal({});
    expect(second.registry.types).to.deep.equal(build([author, book, page, part]).registry.types);
  });

  it('reports models that affect others before the others', () => {
    const wrong = { ...author, attributes: { title: { type: 'strong' } } };
    const lines = reportModels(build([model('alone', { kind: { type: 'enumeration', enum: [] } }), book, page, wrong])).flatMap(
      (report) => describeReport(report) ?? [],
    );
    expect(lines).to.deep.equal([
      'model api::author.author is not in force: attributes.title.type: unknown "strong"; did you mean string?; left out because of it: api::book.book.author',
      'there is no model shared.part; left out because of it: api::page.page.parts',
      'model api::alone.alone is not in force: attributes.kind.enum must NOT have fewer than 1 items',
    ]);
  });

  it('the version rises with every snapshot', () => {
    const first = build([page, part]);
    expect(build([page, part], first).registry.version).to.equal(first.registry.version + 1);
  });

  it('builds only changed types anew', () => {
    const user = { uid: 'plugin::users-permissions.user', attributes: { age: { type: 'integer' } } };
    const before = build([author, book, page, part, user]);
    const [title, own] = [{ title: { type: 'text' } }, { age: { type: 'integer' } }];
    const changed = { ...page, attributes: { ...(page['attributes'] as object), ...title } };
    const after = build(structuredClone([author, book, changed, part, { ...user, attributes: own }]), before);
    const anew = [...after.registry.types].filter(([uid, type]) => before.registry.types.get(uid) !== type).map(([uid]) => uid);
    expect(anew).to.deep.equal(['api::page.page']);
  });
});

/** Attributes that make their type refused, and the reason. */
const refused: readonly (readonly [string, object, RegExp])[] = [
  ['a reserved attribute', { id: { type: 'string' } }, /attributes\.id is a reserved name/],
  ['a name of an attribute with a dot', { 'a.b': { type: 'string' } }, /attributes\.a\.b: the name must match pattern/],
  ['a name of an attribute with an accent', { título: { type: 'string' } }, /attributes\.título: the name must match pattern/],
  ['a name of an attribute that begins with a digit', { '1st': { type: 'string' } }, /attributes\.1st: the name must match/],
  ['a long name of an attribute', { [`n${'a'.repeat(60)}`]: { type: 'string' } }, /attributes\.na+: the name must NOT have more/],
  ['an unknown type', { kind: { type: 'strnig' } }, /attributes\.kind\.type: unknown "strnig"; did you mean string\?/],
  ['an enumeration without values', { kind: { type: 'enumeration', enum: [] } }, /enum/],
  ['an enumeration value that begins with a digit', { kind: { type: 'enumeration', enum: ['1a'] } }, /must begin with a letter/],
  [
    'enumeration values with the same GraphQL name',
    { kind: { type: 'enumeration', enum: ['a b', 'a_b'] } },
    /has the same name in GraphQL/,
  ],
  ['a component attribute without a component', { part: { type: 'component' } }, /component must name a component/],
  ['an unknown relation', { other: relation('manyToNone', 'page') }, /relation/],
  ['a plain relation to several types', { other: { ...relation('oneToOne', 'page'), target: ['api::thing.thing'] } }, /target/],
  [
    'a regular expression with unbounded backtracking',
    { name: { type: 'string', regex: '^(a+)+(?=b)$' } },
    /regex can take unbounded time for some texts/,
  ],
  ['an invalid regular expression', { name: { type: 'string', regex: '(' } }, /regex/],
];

describe('refused models', () => {
  for (const [what, attributes, reason] of refused)
    it(what, () => {
      const { problems } = build([model('thing', attributes), part]);
      expect(problems.get('api::thing.thing')?.join('; ')).to.match(reason);
    });
});

/** Attributes that are served differently from what is written: what of them is in force, and the warning. */
const settled: readonly (readonly [string, object, string, object | null, RegExp])[] = [
  [
    'an attribute of the service',
    { createdAt: { type: 'string' } },
    'createdAt',
    { type: 'datetime' },
    /createdAt: is an attribute of the service/,
  ],
  ['a hyphen', { 'a-b': { type: 'string' } }, 'a-b', { type: 'string' }, /a-b: is left out of GraphQL/],
  ['a unique boolean', { flag: { type: 'boolean', unique: true } }, 'flag', { unique: false }, /flag: \.unique has no effect/],
  [
    'a uid without a valid target attribute',
    { slug: { type: 'uid', targetField: 'nope' } },
    'slug',
    { targetField: null },
    /slug: targetField "nope"/,
  ],
  [
    'an unknown custom field',
    { stars: { type: 'customField', customField: 'plugin::rating.stars' } },
    'stars',
    { type: 'json' },
    /api\.customFields: \{ "plugin::rating\.stars": 'string' \}/,
  ],
  [
    'a type of a plugin',
    { meaning: { type: 'vector', size: 3, default: [1, 2, 3] } },
    'meaning',
    { type: 'json', default: [1, 2, 3] },
    /meaning: type vector is not known and stored as JSON; .* api\.customFields: \{ "vector": 'string' \}/,
  ],
  [
    'an unknown component',
    { part: { type: 'component', component: 'shared.prat' } },
    'part',
    null,
    /part: unknown component "shared\.prat"; did you mean shared\.part\?/,
  ],
  ['a type as a component', { part: { type: 'component', component: 'api::thing.thing' } }, 'part', null, /is not a component/],
  [
    'a zone with one unknown component',
    { zone: { type: 'dynamiczone', components: ['shared.part', 'shared.x'] } },
    'zone',
    { components: ['shared.part'] },
    /zone: unknown component "shared\.x": it is left out of the zone/,
  ],
  [
    'a zone of unknown components',
    { zone: { type: 'dynamiczone', components: ['shared.x'] } },
    'zone',
    null,
    /zone: unknown component/,
  ],
  [
    'an unknown target of a polymorphic relation',
    { any: { type: 'relation', relation: 'morphToMany', target: ['api::thing.thing', 'api::thnig.thnig'] } },
    'any',
    { targets: ['api::thing.thing'] },
    /any: unknown content type "api::thnig.thnig"; did you mean api::thing.thing\?/,
  ],
  [
    'a type of a plugin that is not installed',
    { menu: { type: 'relation', relation: 'oneToOne', target: 'plugin::menus.menu' } },
    'menu',
    null,
    /menu: plugin::menus\.menu belongs to a plugin that is not installed/,
  ],
  [
    'a polymorphic side without an attribute',
    { all: { type: 'relation', relation: 'morphMany', target: 'api::thing.thing' } },
    'all',
    { dangling: true, writable: false },
    /all: .* has no polymorphic attribute ""/,
  ],
  [
    'a manyToOne that would be an inverse side',
    { one: relation('manyToOne', 'thing', { mappedBy: 'none' }) },
    'one',
    { storage: { kind: 'own' }, dangling: false },
    /one: \.mappedBy is not possible for manyToOne/,
  ],
  [
    'two owning sides',
    { a: relation('manyToMany', 'thing', { inversedBy: 'b' }), b: relation('manyToMany', 'thing', { inversedBy: 'a' }) },
    'a',
    { storage: { kind: 'inverse', field: 'b' } },
    /a: .*the two sides are joined/,
  ],
  [
    'a relation that names itself as its inverse',
    { near: relation('manyToMany', 'thing', { inversedBy: 'near' }) },
    'near',
    { storage: { kind: 'own' }, inverse: null },
    /near: .* it is served one-way/,
  ],
  [
    'two relations that name the same other side',
    {
      a: relation('oneToMany', 'thing', { mappedBy: 'c' }),
      b: relation('oneToMany', 'thing', { mappedBy: 'c' }),
      c: relation('manyToOne', 'thing', { inversedBy: 'a' }),
    },
    'b',
    { dangling: true },
    /^b: .*it stays empty$/,
  ],
];

describe('attributes that are served differently from what is written', () => {
  for (const [what, attributes, name, expected, warning] of settled)
    it(what, () => {
      const result = build([model('thing', attributes), part]);
      expect(problemsOf(result)).to.deep.equal({});
      const attribute = result.registry.types.get('api::thing.thing')?.attributes.get(name);
      if (expected === null) expect(attribute).to.equal(undefined);
      else expect(attribute).to.deep.include(expected);
      expect(warningsOf(result)['api::thing.thing']).to.match(warning);
    });
});

/** Other forms that Strapi v4 accepts as well. */
const lenient: readonly (readonly [string, object, (build: RegistryBuild) => unknown, unknown])[] = [
  ['no kind', { kind: undefined }, ({ registry }) => registry.byPluralName.has('things'), true],
  [
    'a text for a number',
    { attributes: { name: { type: 'string', maxLength: '5' } } },
    (built) => attributeOf(built, 'name')['maxLength'],
    5,
  ],
  [
    'a text for true',
    { attributes: { name: { type: 'string', required: 'true' } } },
    (built) => attributeOf(built, 'name')['required'],
    true,
  ],
  [
    'publishedAt without draft & publish',
    { attributes: { publishedAt: { type: 'date' } } },
    (built) => attributeOf(built, 'publishedAt')['type'],
    'date',
  ],
  [
    'names that Strapi reserves in other places',
    { attributes: { component: { type: 'string' }, created_at: { type: 'date' } } },
    (built) => attributeOf(built, 'created_at')['type'],
    'date',
  ],
  [
    'a known custom field',
    { attributes: { color: { type: 'customField', customField: 'plugin::color-picker.color' } } },
    (built) => attributeOf(built, 'color')['type'],
    'string',
  ],
];

const attributeOf = ({ registry }: RegistryBuild, name: string): Record<string, unknown> => ({
  ...registry.types.get('api::thing.thing')?.attributes.get(name),
});

describe('forms of models that need no warning', () => {
  for (const [what, change, look, expected] of lenient)
    it(what, () => {
      const written: TestModel = { ...model('thing'), ...change };
      const built = build([Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)) as TestModel]);
      expect([problemsOf(built), warningsOf(built)]).to.deep.equal([{}, {}]);
      expect(look(built)).to.equal(expected);
    });

  it('a component with a kind', () => {
    expect(problemsOf(build([{ ...part, kind: 'collectionType' }, page]))).to.deep.equal({});
  });

  it('a type of a plugin with a configured type', () => {
    const customFields = { geography: 'string' };
    const built = buildRegistry([model('thing', { at: { type: 'geography' } })], { ...defaultModelSettings, customFields });
    expect([attributeOf(built, 'at')['type'], warningsOf(built)]).to.deep.equal(['string', {}]);
  });

  it('a relation to a model with a type of a plugin', () => {
    const target = { type: 'relation', relation: 'manyToOne', target: 'api::place.place' };
    const built = build([model('place', { at: { type: 'geography' } }), model('thing', { place: target })]);
    expect([problemsOf(built), attributeOf(built, 'place')['dangling']]).to.deep.equal([{}, false]);
  });

  it('renamed attributes whose former or new name is private in the configuration', () => {
    const renamed = (renamedFrom: string) => ({ type: 'string', renamedFrom });
    const attributes = { plain: renamed('secret'), hidden: renamed('old'), open: renamed('former') };
    const privateAttributes = ['secret', 'hidden'];
    const built = buildRegistry([model('thing', attributes)], { ...defaultModelSettings, privateAttributes });
    expect(['plain', 'hidden', 'open'].map((name) => attributeOf(built, name)['private'])).to.deep.equal([true, true, false]);
  });

  it('a custom field with a configured type', () => {
    const field = { type: 'customField', customField: 'plugin::rating.stars' };
    const customFields = { 'plugin::rating.stars': 'integer' };
    const built = buildRegistry([model('thing', { stars: field })], { ...defaultModelSettings, customFields });
    expect([attributeOf(built, 'stars')['type'], warningsOf(built)]).to.deep.equal(['integer', {}]);
  });
});

/** Reserved names, besides those of other models. */
const taken: readonly (readonly [string, object, RegExp])[] = [
  [
    'a path of the service',
    { ...model('user'), info: { singularName: 'user', pluralName: 'users' } },
    /path users is taken by the service itself/,
  ],
  [
    'a collection of the service',
    model('thing', {}, { collectionName: 'up_users' }),
    /collection up_users is taken by plugin::users-permissions\.user/,
  ],
];

const localized = { pluginOptions: { i18n: { localized: true } } };

/** Models that are served over REST only, because GraphQL has other uses for their names. */
const outside: readonly (readonly [string, TestModel, RegExp])[] = [
  ['a scalar', model('date'), /type Date is taken by the service itself/],
  ['a query of the service', { ...model('me'), info: { singularName: 'me', pluralName: 'us' } }, /type Me is taken/],
  ['a root type', model('query'), /type Query is taken by the service itself/],
  ['a mutation of the service', model('file-info'), /type FileInfoInput is taken by the service itself/],
  ['a type of a plugin', model('i18n-locale'), /type I18NLocale is taken by plugin::i18n\.locale/],
  ['a name that is derived from another', model('page-input'), /type PageInput is taken by api::page\.page/],
  ['a mutation of a localized type', model('leaf-localization'), /mutation createLeafLocalization is taken by api::leaf\.leaf/],
  [
    'two enumerations of one name',
    model('thing', { kind: { type: 'enumeration', enum: ['a'] }, KIND: { type: 'enumeration', enum: ['b'] } }),
    /type ENUM_THING_KIND is used twice/,
  ],
  [
    'an enumeration of a component',
    { uid: 'shared.card', info: {}, attributes: { kind: { type: 'enumeration', enum: ['a'], enumName: 'Error' } } },
    /type Error is taken by the service itself/,
  ],
];

describe('names that GraphQL has other uses for', () => {
  const others = [page, part, model('leaf', {}, localized)];
  for (const [what, named, reason] of outside)
    it(what, () => {
      const together = build([...others, named]);
      expect(problemsOf(together)).to.deep.equal({});
      for (const built of [together, build([...others, named], build(others))]) {
        expect(warningsOf(built)[named.uid])
          .to.match(/^is left out of GraphQL: GraphQL /)
          .and.match(reason);
        expect(built.registry.types.get(named.uid)?.inGraphql).to.equal(false);
      }
      const silent = buildRegistry([...others, named], { ...defaultModelSettings, graphql: false });
      expect(warningsOf(silent)).to.deep.equal({});
    });

  it('belong to the model again once the other one is gone', () => {
    const rival = model('page-input');
    const both = build([page, part, rival]);
    const alone = build([rival], both);
    expect([warningsOf(alone), alone.registry.types.get(rival.uid)?.inGraphql]).to.deep.equal([{}, true]);
  });
});

describe('names that conflict', () => {
  for (const [what, named, reason] of taken)
    it(what, () => {
      const { problems } = build([page, part, named as TestModel]);
      expect([...problems.values()].flat().join('; ')).to.match(reason);
      expect(build([page, part, named as TestModel], build([page, part])).problems).to.deep.equal(problems);
    });
});

/** Patterns, a text that matches and one that does not; each has to answer at once for long texts too. */
const patterns: readonly (readonly [string, string, string])[] = [
  ['^[a-z]+$', 'abc', 'Abc'],
  ['^(a+)+$', 'aaa', 'aab'],
  ['^(a|a)*$', '', 'b'],
  ['\\d{2}\\/\\d{4}', 'on 12/2024', '1/2024'],
  ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Abcdefg1', 'abcdefg1'],
  ['^(?!.*--)[a-z-]+$', 'a-b', 'a--b'],
  ['^[\\u00e9\\s]+$', 'é é', 'e'],
];

describe('documents that are equal to those in force', () => {
  it('are in force themselves, and give no name away to a new model', () => {
    const other = model('beta', {}, { collectionName: 'taken' });
    const before = build([other]);
    const copy = structuredClone(other);
    const rival = model('alpha', {}, { collectionName: 'taken' });
    const after = build([rival, copy], before);
    expect([...after.problems.keys()]).to.deep.equal([rival.uid]);
    expect(after.models.get(other.uid)).to.equal(before.models.get(other.uid));
    expect(after.readings.get(other.uid)?.document).to.equal(copy);
  });
});

describe('changedTypes', () => {
  const shell: TestModel = {
    uid: 'shared.shell',
    info: { displayName: 'Shell' },
    attributes: { inner: { type: 'component', component: 'shared.part' } },
  };
  const zoned = model('zoned', { zone: { type: 'dynamiczone', components: ['shared.shell'] } });
  const plain = model('plain');
  const longer: TestModel = { ...part, attributes: { label: { type: 'string' }, text: { type: 'text' } } };
  const all = [author, book, page, part, plain, shell, zoned];
  const without = (uid: string): readonly TestModel[] => all.filter((one) => one.uid !== uid);
  const changes: readonly (readonly [what: string, before: readonly TestModel[], after: readonly TestModel[], uids: string[]])[] =
    [
      ['nothing', all, all, []],
      ['a type is added', without('api::plain.plain'), all, ['api::plain.plain']],
      ['a type is added that another refers to', without('api::author.author'), all, ['api::author.author', 'api::book.book']],
      [
        'a component is added that no type contains',
        without('shared.shell').filter(({ uid }) => uid !== zoned.uid),
        [...all.filter(({ uid }) => uid !== zoned.uid)],
        [],
      ],
      ['a component of a component changes', all, [...without(part.uid), longer], [page.uid, zoned.uid]],
      ['a type is removed', all, without('api::plain.plain'), []],
    ];
  for (const [what, before, after, uids] of changes)
    it(what, () => {
      const first = build(before);
      const second = build(after, first);
      const found = changedTypes(second.registry, first.registry).map(({ uid }) => uid);
      expect(found.sort()).to.deep.equal(uids);
    });
});

describe('patterns of attributes', () => {
  for (const [pattern, good, bad] of patterns)
    it(pattern, () => {
      const built = build([model('thing', { name: { type: 'string', regex: pattern } })]);
      expect(problemsOf(built)).to.deep.equal({});
      const { regex } = attributeOf(built, 'name') as { regex: RegExp };
      const texts = [good, bad, `${'a'.repeat(100_000)}!`];
      expect(texts.map((text) => matches(regex, text))).to.deep.equal([true, false, false]);
    });
});

/** Values of enumerations, and their names in GraphQL as Strapi v4 makes them. */
const enumNames: readonly (readonly [string, string])[] = [
  ['in-review', 'in_review'],
  ['A-B c', 'A_B_c'],
  ['Größe', 'Groesse'],
  ['Food & Drink', 'Food_and_Drink'],
  ['Мужской', 'Muzhskoj'],
  ["don't", 'don_t'],
  ['Œuvre', 'Oeuvre'],
  ['_x', 'x'],
  ['true', '_true'],
  ['null', '_null'],
  ['2021', '_2021'],
  ['16:9', '_16_9'],
  ['日本', ''],
  ['', ''],
];

/** Enumerations of components, which Strapi v4 does not check: their values, those of GraphQL, and the warning. */
const partEnums: readonly (readonly [values: readonly unknown[] | undefined, named: object, warning: RegExp | null])[] = [
  [['a', 'b'], { a: 'a', b: 'b' }, null],
  [['2021', '2022'], { _2021: '2021', _2022: '2022' }, /"2021" is named _2021 in GraphQL/],
  [[1, 2], { _1: '1', _2: '2' }, /"1" is named _1 in GraphQL/],
  [['16:9', '4:3'], { _16_9: '16:9', _4_3: '4:3' }, /"16:9" is named _16_9/],
  [['日本', 'en'], { en: 'en' }, /"日本" is left out of GraphQL, where it has no name, and is null in answers/],
  [['日本', '中国'], {}, /is left out of GraphQL, which has names for none of its values/],
  [['a b', 'a_b'], { a_b: 'a b' }, /"a_b" is left out of GraphQL, where "a b" has its name/],
  [['a', 'a'], { a: 'a' }, null],
  [['', 'a'], { a: 'a' }, /"" is left out of GraphQL/],
  [[true, 'yes'], { _true: 'true', yes: 'yes' }, /"true" is named _true/],
  [[], {}, /is left out of GraphQL/],
  [undefined, {}, /is left out of GraphQL/],
];

describe('an enumeration of a component', () => {
  for (const [values, named, warning] of partEnums)
    it(JSON.stringify(values ?? null), () => {
      const card: TestModel = { uid: 'shared.card', info: {}, attributes: { kind: { type: 'enumeration', enum: values } } };
      const built = build([card]);
      expect(problemsOf(built)).to.deep.equal({});
      const attribute = built.registry.types.get('shared.card')?.attributes.get('kind') as { readonly enum: readonly string[] };
      expect(Object.fromEntries(namedValues(attribute.enum))).to.deep.equal(named);
      if (warning === null) expect(warningsOf(built)).to.deep.equal({});
      else expect(warningsOf(built)['shared.card']).to.match(warning);
    });
});

describe('attributes that are left out', () => {
  const card = { uid: 'shared.card', info: {}, attributes: { kind: { type: 'strong' } } };
  const made = [
    model('one', { card: { type: 'component', component: 'shared.card' } }),
    model('two', { cards: { type: 'dynamiczone', components: ['shared.card'] } }),
    model('three', { other: relation('oneToOne', 'nowhere') }),
    model('four', { fives: relation('oneToMany', 'one', { mappedBy: 'four' }) }),
  ];
  const reasons: Readonly<Record<string, readonly [name: string, reason: RegExp]>> = {
    'api::one.one': [
      'card',
      /^shared\.card is refused \(attributes\.kind\.type: unknown "strong".*\): the attribute is left out$/,
    ],
    'api::two.two': ['cards', /^shared\.card is refused/],
    'api::three.three': ['other', /^unknown content type "api::nowhere\.nowhere"/],
    'api::four.four': ['fives', /api::one\.one\.four is not the other side of this relation: it stays empty/],
  };

  for (const [uid, [name, reason]] of Object.entries(reasons))
    it(`${uid}: ${name}`, () => {
      const leftOut = build([card, ...made]).registry.leftOut.get(uid);
      expect([...(leftOut?.keys() ?? [])]).to.deep.equal([name]);
      expect(leftOut?.get(name)).to.match(reason);
    });

  it('include those of a changed model that is refused', () => {
    const before = build([page, part]);
    const changed = {
      ...page,
      attributes: { ...(page['attributes'] as object), fresh: { type: 'string' }, odd: { type: 'strong' } },
    };
    const leftOut = build([changed, part], before).registry.leftOut.get(page.uid);
    expect([...(leftOut?.keys() ?? [])]).to.deep.equal(['fresh', 'odd']);
    expect(leftOut?.get('fresh')).to.match(/^the model is refused: attributes\.odd\.type: unknown "strong"/);
  });

  it('are none of a registry without warnings', () => {
    expect(build([page, part]).registry.leftOut.size).to.equal(0);
  });
});

describe('enumValueName', () => {
  for (const [value, name] of enumNames) it(`${value}: ${name}`, () => expect(enumValueName(value)).to.equal(name));

  it('is told where GraphQL does not allow the value', () => {
    const { problems, warnings } = build([model('thing', { kind: { type: 'enumeration', enum: ['true', 'Maybe'] } })]);
    const texts = [...warnings.values()].flat().map(({ text }) => text);
    expect([problems.size, texts]).to.deep.equal([
      0,
      ['.enum: "true" is named _true in GraphQL, which does not allow that name for values'],
    ]);
  });
});
