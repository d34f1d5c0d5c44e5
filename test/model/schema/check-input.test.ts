import { expect } from 'chai';
import { buildRegistry } from '#model/schema/build-registry.js';
import { checkInput } from '#model/schema/check-input.js';
import type { InputContext } from '#model/schema/findings.js';
import type { TestModel } from '../../support/serve.js';
import { typeOf } from '../../support/things.js';

const part = (name: string, attributes: object): TestModel => ({ uid: `box.${name}`, info: { displayName: name }, attributes });
const component = (name: string, more: object = {}): object => ({ type: 'component', component: `box.${name}`, ...more });

const { registry } = buildRegistry([
  part('leaf', {
    code: { type: 'string', unique: true, required: true },
    page: { type: 'relation', relation: 'oneToOne', target: 'api::page.page' },
  }),
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
    options: { draftAndPublish: true },
    attributes: {
      title: { type: 'string', required: true, minLength: 2 },
      mood: { type: 'enumeration', enum: ['good', 'bad'], required: true, default: 'good' },
      text: { type: 'blocks' },
      story: { type: 'blocks', required: true },
      leaf: component('leaf', { required: true }),
      leaves: component('leaf', { repeatable: true, min: 1, max: 2 }),
      zone: { type: 'dynamiczone', components: ['box.leaf'] },
      photo: { type: 'media', allowedTypes: ['images'] },
      parent: { type: 'relation', relation: 'manyToOne', target: 'api::page.page', inversedBy: 'children' },
      children: { type: 'relation', relation: 'oneToMany', target: 'api::page.page', mappedBy: 'parent' },
      subject: { type: 'relation', relation: 'morphToOne' },
      day: { type: 'date', required: true },
      cause: { type: 'relation', relation: 'oneToOne', target: 'api::page.page', required: true },
    },
  },
]);
const page = typeOf('api::page.page', registry);

const check = (data: object, more: Partial<InputContext> = {}) =>
  checkInput(page, { ...data }, { registry, mode: 'create', draft: false, strict: false, ...more });

/** The minimum data of a new page. */
const least = { title: 'ab', leaf: { code: 'c' }, story: [], day: '2024-01-01', cause: 1 };

/** The image of a node. */
const file = {
  ...{ name: 'a', url: '/a', hash: 'a', ext: '.png', mime: 'image/png', provider: 'local', createdAt: 'a', updatedAt: 'a' },
  ...{ width: 1, height: 1, size: 1, formats: {} },
};

describe('checkInput', () => {
  const wrong: Readonly<Record<string, readonly [data: object, errors: readonly string[], more?: Partial<InputContext>]>> = {
    'values that are absent': [
      { story: [], day: '', cause: 1 },
      ['title: title must be defined.', 'leaf: leaf must be defined.', 'day: day: Invalid format, expected yyyy-MM-dd'],
    ],
    'values of wrong types': [
      { ...least, title: 5, mood: 'fine' },
      [
        'title: title must be a `string` type, but the final value was: `5`.',
        'mood: mood must be one of the following values: good, bad, ',
      ],
    ],
    'null for what is required': [
      { title: null, story: 'x', leaf: null, day: null, cause: null },
      [
        'title: title must be a `string` type, but the final value was: `null`.',
        'story: story must be a `array` type, but the final value was: `null` (cast from the value `"x"`).',
        'leaf: leaf must be a `object` type, but the final value was: `null`.',
        'day: day must be defined.',
        'cause: cause must be defined.',
      ],
    ],
    'null for what is required, in an update': [
      { day: null, cause: null },
      ['day: day cannot be null.', 'cause: cause cannot be null.'],
      { mode: 'update' },
    ],
    'nodes of a rich text, by their paths': [
      {
        ...least,
        text: [
          { type: 'paragraph', children: [{ type: 'link', url: '#a', children: [] }, 5] },
          { type: 'heading', children: [] },
          { type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [] }, { type: 'list' }] },
          { type: 'code', children: [{ type: 'link' }] },
          { type: 'image', image: { ...file, formats: null, ext: '', width: 'a' } },
        ],
      },
      [
        'text/0/children/0/url: Please specify a valid link.',
        'text/0/children/1: Inline node must be Text or Link',
        'text/1/level: text[1].level is a required field',
        'text/1/children: Heading node children must have at least one Text or Link node',
        'text/2/children/1/format: text[2].children[1].format is a required field',
        'text/2/children/1/children: text[2].children[1].children is a required field',
        'text/3/children/0/type: text[3].children[0].type must be one of the following values: text',
        'text/3/children/0/text: Text must be defined with at least an empty string',
        'text/4/image/width: text[4].image.width must be a `number` type, but the final value was: `NaN` (cast from the value `"a"`).',
        'text/4/image/formats: text[4].image.formats must be a `object` type, but the final value was: `null`.',
        'text/4/image/ext: text[4].image.ext is a required field',
        'text/4/children: text[4].children is a required field',
      ],
    ],
    'values of components, by their paths': [
      { ...least, leaf: {}, leaves: [{ code: 1 }] },
      [
        'leaf/code: leaf.code must be defined.',
        'leaves/0/code: leaves[0].code must be a `string` type, but the final value was: `1`.',
      ],
    ],
    'lists that are too long, behind their items': [
      { ...least, leaves: ['a', 5, 'c'].map((code) => ({ code })) },
      [
        'leaves/1/code: leaves[1].code must be a `string` type, but the final value was: `5`.',
        'leaves: leaves field must have less than or equal to 2 items',
      ],
    ],
    'the first problem of relations, after the others': [
      { ...least, leaf: {}, parent: true, children: 'x', subject: 5 },
      ['leaf/code: leaf.code must be defined.', 'parent: Invalid relations'],
    ],
    'parts of a dynamic zone without a component': [
      { ...least, zone: [{ code: 'a' }] },
      [
        'zone/0/__component: zone[0].__component is a required field',
        'zone/0: Cannot build relations store from dynamiczone, component identifier is undefined',
      ],
    ],
  };
  for (const [name, [data, errors, more]] of Object.entries(wrong))
    it(`reports ${name}`, () => {
      const { errors: fields, relations } = check(data, more);
      expect([...fields, ...relations].map(({ path, message }) => `${path.join('/')}: ${message}`)).to.deep.equal(errors);
    });

  const fine: Readonly<Record<string, readonly [data: object, more: Partial<InputContext>]>> = {
    'the least that is required, defaults counting': [least, {}],
    'an update of nothing': [{}, { mode: 'update' }],
    'a draft without required values and with short texts': [{ title: 'a' }, { draft: true }],
    'related entries as a whole, with an attribute called type': [
      { ...least, parent: { id: 2, type: 'news' }, children: { connect: [{ id: 3, type: 7 }] } },
      {},
    ],
    'null that takes links away': [{ ...least, parent: null, children: null, subject: null, photo: null }, {}],
  };
  for (const [name, [data, more]] of Object.entries(fine))
    it(`takes ${name}`, () => {
      expect(check(data, more).errors).to.deep.equal([]);
    });

  it('collects the ids that must exist, by type, from all depths', () => {
    const data = {
      ...least,
      leaf: { code: 'c', page: 4 },
      zone: [{ __component: 'box.leaf', code: 'd', page: { id: 5 } }],
      photo: [8],
      parent: 1,
      children: { connect: [2, { id: 3 }], disconnect: [9] },
      subject: { __type: 'plugin::upload.file', id: 7 },
    };
    const { errors, targets } = check(data);
    expect(errors).to.deep.equal([]);
    expect(Object.fromEntries([...targets].map(([uid, paths]) => [uid, Object.fromEntries(paths)]))).to.deep.equal({
      'api::page.page': { 1: 'parent', 2: 'children', 3: 'children', 4: 'leaf.page', 5: 'zone[0].page' },
      'plugin::upload.file': { 7: 'subject', 8: 'photo' },
    });
  });

  it('refuses several files for one in strict mode only, and names the files whose types are checked', () => {
    const data = { ...least, photo: [8, 9] };
    const limited = [{ path: 'photo', ids: [8, 9], allowedTypes: ['images'] }];
    expect(check(data)).to.deep.include({ errors: [], files: limited });
    const { errors, files } = check(data, { strict: true });
    expect(errors.map(({ message }) => message)).to.deep.equal(['photo takes one file']);
    expect(files).to.deep.equal(limited);
    expect(check({ ...least, photo: [] }, { strict: true }).files).to.deep.equal([]);
  });

  const item = { id: 2, type: 'api::event.event' };
  const otherTypes: readonly (readonly [input: object, place: string])[] = [
    [{ parent: item }, 'parent.type'],
    [{ children: [1, item] }, 'children[1].type'],
    [{ children: { set: [item] } }, 'children.set[0].type'],
    [{ children: { connect: [{ id: 1 }, item] } }, 'children.connect[1].type'],
    [{ children: { disconnect: [item] } }, 'children.disconnect[0].type'],
    [{ leaf: { code: 'c', page: item } }, 'leaf.page.type'],
    [{ photo: item }, 'photo.type'],
    [{ parent: { id: 2, __type: 'api::event.event' } }, 'parent.type'],
  ];
  for (const [input, place] of otherTypes)
    it(`names the attribute of an entry of another type: ${place}`, () => {
      const target = place.startsWith('photo') ? 'plugin::upload.file' : 'api::page.page';
      const path = place.split(/[.[\]]+/);
      expect(check({ ...least, ...input }).errors).to.deep.equal([{ path, message: `${place} must be ${target}` }]);
    });

  it('stops at 1,000 problems', () => {
    const zone = Array.from({ length: 1_200 }, () => ({ __component: 'box.leaf', code: 1 }));
    expect(check({ ...least, zone }).errors).to.have.lengthOf(1_000);
  });
});
