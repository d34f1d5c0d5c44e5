import { expect } from 'chai';
import { bindSelection } from '#model/query/bind-selection.js';
import { fullAccess } from '#model/query/access.js';
import { createBudget } from '#base/limits/budget.js';
import { defaultLimits } from '../../support/default-limits.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { Child, Selection } from '#model/query/plan.js';
import { parseQueryString } from '#http/query-string.js';
import { bindContext, typeOf } from '../../support/things.js';

const thing = typeOf('api::thing.thing');
const limits = { parameters: 1000, queryDepth: 20, listValues: 1000 };

const bind = (text: string, strict = false, populateDeep = 0): Selection =>
  bindSelection(
    parseQuery(parseQueryString(text, limits), defaultLimits),
    thing,
    { ...bindContext, settings: { ...bindContext.settings, strict, populateDeep } },
    'live',
  );

/** What is populated, as names with what is below them; fields where they are not all. */
type Tree = Readonly<Record<string, unknown>>;

function treeOf(selection: Selection): Tree {
  const whole = [...selection.type.attributes.values()].filter(({ kind, private: hidden }) => kind === 'scalar' && !hidden);
  const fields = selection.fields.map(({ name }) => name);
  return {
    ...(fields.length < whole.length && { fields }),
    ...Object.fromEntries(selection.children.map((child) => [child.key, childTree(child)])),
  };
}

function childTree(child: Child): Tree {
  switch (child.kind) {
    case 'link': {
      const { window, countOnly, reversed, sort } = child;
      return {
        ...treeOf(child.selection),
        ...(window && { window }),
        ...(countOnly && { countOnly }),
        ...(reversed && { reversed }),
        ...(sort.length > 0 && { sort: sort.map(({ path, order }) => [path, order]) }),
      };
    }
    case 'component':
      return treeOf(child.selection);
    case 'morph':
    case 'zone':
      return Object.fromEntries([...child.targets].map(([uid, { selection }]) => [uid, treeOf(selection)]));
  }
}

const zone = { 'thing.part': {} };
const cases: readonly (readonly [string, Tree])[] = [
  ['', {}],
  ['populate=', {}],
  ['populate[]=', {}],
  ['populate=owner', { owner: {} }],
  ['populate=owner,tags', { owner: {}, tags: {} }],
  ['populate=owner,%20tags', { owner: {}, tags: {} }],
  ['populate[0]=owner&populate[1]=tags', { owner: {}, tags: {} }],
  ['populate[]=owner,tags', { owner: {}, tags: {} }],
  ['populate=owner.boss', { owner: { boss: {} } }],
  ['populate=owner,owner.boss,owner.things.tags', { owner: { boss: {}, things: { tags: {} } } }],
  ['populate=owner.*', { owner: {} }],
  ['populate=owner.boss.*', { owner: { boss: {} } }],
  ['populate[owner][populate]=*,boss', { owner: { boss: {} } }],
  ['populate[owner][populate]=boss&populate=tags', { owner: { boss: {} }, tags: {} }],
  ['populate[owner][populate]=boss&populate=tags&populate[main]=*', { main: {}, owner: { boss: {} }, tags: {} }],
  ['populate=main,parts.maker', { main: {}, parts: { maker: {} } }],
  ['populate[owner]=true', { owner: {} }],
  [`populate=tags,${Array<string>(60).fill('owner.boss').join(',')}`, { tags: {}, owner: { boss: {} } }],
  ['populate[owner]=*', { owner: {} }],
  ['populate[owner]=bogus', { owner: {} }],
  ['populate[owner]=false', {}],
  ['populate[owner]=0', {}],
  ['populate[owner]=', {}],
  ['populate[owner][filters]=', { owner: {} }],
  ['populate[owner][fields][0]=name', { owner: { fields: ['name'] } }],
  ['populate[owner][fields]=name,age', { owner: { fields: ['name', 'age'] } }],
  ['populate[owner][populate]=*', { owner: { things: {}, boss: {}, staff: {} } }],
  ['populate[owner][populate]=boss', { owner: { boss: {} } }],
  ['populate[owner][populate][boss][fields]=id', { owner: { boss: { fields: [] } } }],
  [
    'populate[tags][sort]=name:desc',
    {
      tags: {
        sort: [
          ['name', -1],
          ['_id', 1],
        ],
      },
    },
  ],
  [
    'populate[tags][sort][0]=name&populate[tags][sort][1]=id:desc',
    {
      tags: {
        sort: [
          ['name', 1],
          ['_id', -1],
        ],
      },
    },
  ],
  ['populate[tags][sort]=name&populate[tags][limit]=1', { tags: { window: { skip: 0, limit: 1 }, sort: [['name', 1]] } }],
  ['populate[tags][start]=1&populate[tags][limit]=2', { tags: { window: { skip: 1, limit: 2 } } }],
  ['populate[tags][start]=1e300', { tags: { window: { skip: Number.MAX_SAFE_INTEGER, limit: null } } }],
  ['populate[tags][limit]=-1', { tags: {} }],
  ['populate[tags][limit]=0', { tags: {} }],
  ['populate[owner.boss]=true&populate[owner][fields]=name', { owner: { fields: ['name'], boss: {} } }],
  ['populate[owner][fields]=name&populate[owner.boss]=true', { owner: { fields: ['name'], boss: {} } }],
  ['populate[tags][page]=1&populate[tags][pageSize]=1', { tags: {} }],
  ['populate[tags][publicationState]=', { tags: {} }],
  ['populate[tags][pagination][limit]=1', { tags: {} }],
  ['populate[tags][count]=true', { tags: { countOnly: true } }],
  ['populate[tags][ordering]=desc', { tags: { reversed: true } }],
  ['populate[zone]=*', { zone }],
  ['populate[zone][populate]=*', { zone: { 'thing.part': { maker: {} } } }],
  ['populate[zone][on][thing.part][fields]=label', { zone: { 'thing.part': { fields: ['label'] } } }],
  ['populate[zone][on][thing.part][populate][maker]=true', { zone: { 'thing.part': { maker: {} } } }],
  ['populate[zone][on][no.such]=true', { zone: {} }],
  ['populate[subject][on][api::tag.tag][fields]=name', { subject: { 'api::tag.tag': { fields: ['name'] } } }],
  ['fields=name', { fields: ['name'] }],
  ['fields=name,count', { fields: ['name', 'count'] }],
  ['fields=name,%20id,name&publicationState=', { fields: ['name'] }],
  ['fields=name,*', {}],
  ['fields[0]=count&fields[1]=name', { fields: ['name', 'count'] }],
  ['fields[]=name', { fields: ['name'] }],
  ['fields=id', { fields: [] }],
  ['fields=*', {}],
  ['fields[0]=*', {}],
  // a mixture of forms means everything that they name
  ['populate=owner&populate[tags][fields]=name', { owner: {}, tags: { fields: ['name'] } }],
  ['populate[tags][fields]=name&populate=owner,main', { owner: {}, main: {}, tags: { fields: ['name'] } }],
  ['populate=owner,%20main&populate[tags][fields]=name', { owner: {}, main: {}, tags: { fields: ['name'] } }],
  ['populate[owner][populate]=boss&populate=owner', { owner: { boss: {} } }],
  [
    'populate[owner][fields]=name&populate[owner][populate]=boss&populate=owner,tags',
    { owner: { fields: ['name'], boss: {} }, tags: {} },
  ],
  ['populate[owner][populate][boss][fields]=name&populate[owner][populate]=boss', { owner: { boss: { fields: ['name'] } } }],
  ['populate=owner.boss&populate[owner][fields]=name', { owner: { fields: ['name'], boss: {} } }],
  ['populate[owner][fields]=name&populate=owner.boss', { owner: { fields: ['name'], boss: {} } }],
  ['populate[0]=owner&populate[tags][fields]=name', { owner: {}, tags: { fields: ['name'] } }],
  ['populate[tags][fields]=name&populate[0]=owner,main', { owner: {}, main: {}, tags: { fields: ['name'] } }],
  ['populate[]=owner&populate[]=main&populate[tags][fields]=name', { owner: {}, main: {}, tags: { fields: ['name'] } }],
  ['populate=owner&populate=main&populate[tags][fields]=name', { owner: {}, main: {}, tags: { fields: ['name'] } }],
  ['populate[0][tags][fields]=name&populate[1]=owner', { owner: {}, tags: { fields: ['name'] } }],
  [
    'populate[0][tags][fields]=name&populate[0][owner]=true&populate[1]=main',
    { owner: {}, main: {}, tags: { fields: ['name'] } },
  ],
  ['populate[0]=owner&populate[0][tags]=true', { owner: {}, tags: {} }],
  ['populate=owner&populate', { owner: {} }],
  ['populate&populate[tags]=true', { tags: {} }],
  ['populate[tags]=true&populate=', { tags: {} }],
  ['populate[owner]=true&populate[owner][fields]=name', { owner: { fields: ['name'] } }],
  ['populate[owner][fields]=name&populate[owner]=true', { owner: { fields: ['name'] } }],
  ['populate[owner]=*&populate[owner][populate]=boss', { owner: { boss: {} } }],
  ['populate[owner]&populate[owner][populate]=boss', { owner: { boss: {} } }],
  ['populate[owner]=true&populate[owner]=true', { owner: {} }],
  ['populate[owner]=false&populate[owner]=0', {}],
  [
    'populate[owner][populate]=boss&populate[owner][populate][staff][fields]=name',
    { owner: { boss: {}, staff: { fields: ['name'] } } },
  ],
  [
    'populate[owner][populate][staff][fields]=name&populate[owner][populate][0]=boss',
    { owner: { boss: {}, staff: { fields: ['name'] } } },
  ],
  [
    'populate[owner][populate]=*&populate[owner][populate][boss][fields]=name',
    { owner: { things: {}, boss: { fields: ['name'] }, staff: {} } },
  ],
  ['populate[owner.boss][fields]=name', { owner: { boss: { fields: ['name'] } } }],
  ['populate[owner.boss]=false&populate[tags]=true', { tags: {} }],
  [
    'populate[owner][fields]=name&populate[0][owner][fields]=age&populate[1]=owner.boss',
    { owner: { fields: ['name', 'age'], boss: {} } },
  ],
  [
    'populate[0][tags][sort]=name&populate[tags][limit]=1',
    {
      tags: {
        window: { skip: 0, limit: 1 },
        sort: [['name', 1]],
      },
    },
  ],
  [
    'populate[zone][on][thing.part]=true&populate[zone][on][thing.part][fields]=label',
    { zone: { 'thing.part': { fields: ['label'] } } },
  ],
  [
    'populate[0][zone][on][thing.part][fields]=label&populate[zone][on][thing.part][populate]=*',
    { zone: { 'thing.part': { fields: ['label'], maker: {} } } },
  ],
  ['fields=name&fields[]=count', { fields: ['name', 'count'] }],
  ['fields[0]=name&fields=count,kind', { fields: ['name', 'kind', 'count'] }],
  // names that do not exist, or may not be read, are ignored
  ['populate=bogus,secret,name,true,deep,createdBy', {}],
  ['populate[bogus][fields]=nonsense', {}],
  ['populate[__proto]=true', {}],
];

const everything = {
  main: {},
  parts: {},
  zone,
  photo: {},
  owner: {},
  tags: {},
};

describe('fields and populate', () => {
  for (const [text, tree] of cases)
    it(text || '(none)', () => {
      expect(treeOf(bind(text))).to.deep.equal(tree);
    });

  it('populate=* populates everything on the first level', () => {
    const { subject, ...tree } = treeOf(bind('populate=*'));
    expect(tree).to.deep.equal(everything);
    expect(Object.keys(subject as Tree)).to.include.members(['api::thing.thing', 'api::person.person', 'plugin::upload.file']);
  });

  for (const text of [
    'populate=*&populate[tags][fields]=name',
    'populate[tags][fields]=name&populate=*',
    'populate[0]=*&populate[tags][fields]=name',
    'populate[tags][fields]=name&populate[0]=*',
    'populate[]=*&populate[tags][fields]=name&populate[1]=owner',
    'populate=*,owner&populate[tags][fields]=name',
    'populate[*]=true&populate[tags][fields]=name',
    'populate[0]=*&populate[1][tags][fields]=name',
  ])
    it(`${text} populates everything, and one relation as it is described`, () => {
      const { subject, ...tree } = treeOf(bind(text));
      expect(subject).to.be.an('object');
      expect(tree).to.deep.equal({ ...everything, tags: { fields: ['name'] } });
    });

  it('drafts among related entries are left out of live lists, unless the branch asks for them', () => {
    const [live] = bind('populate=tags').children;
    const [preview] = bind('populate[tags][publicationState]=preview').children;
    expect(live).to.deep.include({
      condition: { kind: 'comparison', path: 'publishedAt', stored: 'date', comparator: 'null', operand: true, denied: true },
    });
    expect(preview).to.deep.include({ condition: null });
  });
});

const refused: readonly (readonly [string, string, string?])[] = [
  ['fields=bogus', 'Invalid parameter bogus'],
  // a list is quoted as it was written
  ['fields=name,bogus', 'Invalid parameter name,bogus'],
  ['fields=bogus,%20name', 'Invalid parameter bogus, name'],
  ['fields[]=name&fields[]=count,secret', 'Invalid parameter count,secret'],
  ['populate[owner][fields]=name,bogus', 'Invalid parameter name,bogus'],
  ['fields=secret', 'Invalid parameter secret'],
  ['fields=code', 'Invalid parameter code'],
  ['fields=owner', 'Invalid parameter owner'],
  ['fields=main', 'Invalid parameter main'],
  ['fields=zone', 'Invalid parameter zone'],
  ['fields=', 'Invalid parameter fields'],
  ['fields[name]=1', 'Invalid parameter fields'],
  ['populate[owner][fields]=bogus', 'Invalid parameter bogus'],
  ['populate[owner][filters][bogus]=1', 'Invalid parameter bogus'],
  ['populate[owner][sort]=bogus', 'Invalid parameter bogus'],
  ['populate[owner][populate][things][fields]=secret', 'Invalid parameter secret'],
  ['populate[zone][fields]=bogus', 'Invalid parameter bogus'],
  ['populate[tags][facets]=name', 'Invalid parameter facets: populated relations do not have it, only lists'],
  [
    'populate[owner][populate][tags][fallbackLocale]=en',
    'Invalid parameter fallbackLocale: populated relations do not have it, only lists',
  ],
  ['populate[owner][0]=boss', 'Invalid parameter owner'],
  ['populate[owner][]=boss&populate[owner][fields]=name', 'Invalid parameter 0'],
  ['populate[owner]=boss&populate[owner][fields]=name', 'Invalid parameter owner'],
  ['populate[0][0]=owner', 'Invalid parameter 0'],
  ['populate[tags][limit]=1&populate[0][tags][limit]=2', 'Invalid parameter populate: tags is described more than once'],
  ['populate[tags][limit]=-3', 'Invalid parameter limit: expected -1 or more'],
  ['populate[tags][limit]=x', 'Invalid parameter limit: expected a whole number'],
  [
    'populate[tags][page]=1&populate[tags][limit]=1',
    'Invalid pagination attributes. You cannot use page and offset pagination in the same query',
    'PaginationError',
  ],
  ['populate[tags][publicationState]=x', "Invalid parameter publicationState: expected 'live' or 'preview'"],
  [`populate=${'owner.boss.'.repeat(6)}name`, 'Invalid parameter populate: deeper than 10 levels'],
  [
    `populate=${Array.from({ length: 51 }, (_, index) => `a${String(index)}.b`).join(',')}`,
    'Invalid parameter populate: more than 100 relations',
  ],
  [
    `populate=${Array.from({ length: 101 }, (_, index) => `a${String(index)}`).join(',')}`,
    'Invalid parameter populate: more than 100 relations',
  ],
];

describe('refused fields and populate', () => {
  for (const [text, message, name = 'ValidationError'] of refused)
    it(`${text.slice(0, 80)}: ${message}`, () => {
      expect(() => bind(text))
        .to.throw(message)
        .that.includes({ status: 400, name, message });
    });

  for (const [text, name] of [
    ...['bogus', 'secret', 'name'].map((each) => [`populate=${each}`, each] as const),
    ['populate[zone][populate]=bogus', 'bogus'],
    ['populate[zone][populate][maker][populate]=bogus', 'bogus'],
    ['populate[zone][on][thing.part][populate]=bogus', 'bogus'],
    ['populate[subject][populate]=bogus', 'bogus'],
  ] as const)
    it(`strict: ${text}`, () => {
      expect(() => bind(text, true)).to.throw(`Invalid parameter ${name}`);
    });

  // a name that one of several types has is known
  for (const text of ['populate[subject][populate]=boss', 'populate[subject][on][api::tag.tag]=true', 'populate=deep'])
    it(`strict: ${text} is taken`, () => {
      expect(treeOf(bind(text, true, 3))).to.have.any.keys('subject');
    });
});

/** With the setting `api.rest.populateDeep` at 3: names do not lead back to a collection that was seen. */
const deepCases: readonly (readonly [string, Tree])[] = [
  [
    'populate=deep',
    {
      main: { maker: {} },
      parts: { maker: {} },
      zone: { 'thing.part': { maker: {} } },
      photo: {},
      owner: { boss: {}, staff: {} },
      tags: {},
    },
  ],
  ['populate=deep,2', { main: {}, parts: {}, zone, photo: {}, owner: {}, tags: {} }],
  ['populate[owner][populate]=deep,2', { owner: { things: {}, boss: {}, staff: {} } }],
  ['populate=owner', { owner: {} }],
];

describe('populate=deep', () => {
  for (const [text, tree] of deepCases)
    it(text, () => {
      const found = Object.entries(treeOf(bind(text, false, 3))).filter(([name]) => name !== 'subject');
      expect(Object.fromEntries(found)).to.deep.equal(tree);
    });

  it('has no effect unless it is switched on', () => {
    expect(treeOf(bind('populate=deep'))).to.deep.equal({});
  });

  it('is refused beyond the levels of populate', () => {
    expect(() => bind('populate=deep,12', false, 3)).to.throw(/deeper than 10 levels/);
    expect(treeOf(bind('populate=deep', false, 50))).to.deep.equal(treeOf(bind('populate=deep,11', false, 3)));
  });

  it('is refused beyond the budget of the request before it is bound', () => {
    const allowed = { ...defaultLimits, boundSelections: 5 };
    const context = {
      ...bindContext,
      limits: allowed,
      budget: createBudget(allowed, 'public'),
      settings: { ...bindContext.settings, populateDeep: 9 },
    };
    expect(() => bindSelection(parseQuery({ populate: 'deep' }, allowed), thing, context, 'live')).to.throw(
      'The request populates more than 5 types, counted for each level (api.limits.boundSelections)',
    );
  });

  it('leaves out what the caller may not read', () => {
    const access = { ...fullAccess, hidden: new Map([[thing.uid, new Set(['owner'])]]) };
    const settings = { ...bindContext.settings, populateDeep: 3 };
    const selection = bindSelection(
      parseQuery({ populate: 'deep' }, defaultLimits),
      thing,
      { ...bindContext, access, settings },
      'live',
    );
    expect(Object.keys(treeOf(selection)))
      .to.include('tags')
      .and.not.include('owner');
  });
});
