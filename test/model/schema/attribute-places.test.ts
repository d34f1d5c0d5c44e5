import { expect } from 'chai';
import { uniqueFields } from '#store/form/layout.js';
import { dottedPath, findPlaces, linkPaths, uniquePaths } from '#model/schema/attribute-places.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import type { Attribute } from '#model/schema/content-type.js';
import type { TestModel } from '../../support/serve.js';

const component = (name: string, attributes: object): TestModel => ({
  uid: `box.${name}`,
  info: { displayName: name },
  attributes,
});
const inside = (name: string, repeatable = false): object => ({ type: 'component', component: `box.${name}`, repeatable });
const page = { type: 'relation', relation: 'oneToOne', target: 'api::page.page' };

const models: readonly TestModel[] = [
  component('leaf', { code: { type: 'string', unique: true }, page }),
  component('twig', { leaf: inside('leaf'), leaves: inside('leaf', true) }),
  component('ring', { page }),
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
    attributes: {
      title: { type: 'string', unique: true },
      twig: inside('twig'),
      twigs: inside('twig', true),
      zone: { type: 'dynamiczone', components: ['box.twig', 'box.leaf'] },
      ring: inside('ring'),
      photo: { type: 'media' },
      parent: { type: 'relation', relation: 'manyToOne', target: 'api::page.page', inversedBy: 'children' },
      children: { type: 'relation', relation: 'oneToMany', target: 'api::page.page', mappedBy: 'parent' },
      subject: { type: 'relation', relation: 'morphToOne' },
    },
  },
];

const { registry } = buildRegistry(models, defaultModelSettings);
const found = registry.types.get('api::page.page');
if (found === undefined) throw new Error('the model is refused');
const type = found;

/** What is searched, and the paths found, in the order of the models. */
const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'unique attributes',
    uniquePaths(type, registry).map(uniqueFields.field),
    [
      'title',
      'twig.leaf.code',
      '_unique.twig/leaves/code',
      '_unique.twigs/leaf/code',
      '_unique.twigs/leaves/code',
      '_unique.zone/leaf/code',
      '_unique.zone/leaves/code',
      '_unique.zone/code',
    ],
  ],
  [
    'stored links',
    linkPaths(type, registry).map(dottedPath),
    [
      'twig.leaf.page',
      'twig.leaves.page',
      'twigs.leaf.page',
      'twigs.leaves.page',
      'zone.leaf.page',
      'zone.leaves.page',
      'zone.page',
      'ring.page',
      'photo',
      'parent',
      'subject',
      'createdBy',
      'updatedBy',
    ],
  ],
  [
    'components that an attribute of a zone holds',
    findPlaces(type, registry, (attribute): attribute is Attribute => attribute.kind === 'component')
      .filter(({ steps: [first] }) => first?.zone !== null && first !== undefined)
      .map((place) => `${dottedPath(place)} of ${place.holders.map(({ uid }) => uid).join(' > ')}`),
    ['zone.leaf of api::page.page > box.twig', 'zone.leaves of api::page.page > box.twig'],
  ],
];

describe('places of attributes in the documents of a type', () => {
  for (const [what, paths, expected] of cases)
    it(what, () => {
      expect(paths).to.deep.equal(expected);
    });

  it('contain the lists and the components of zones on the way', () => {
    const [link] = linkPaths(type, registry).filter((place) => dottedPath(place) === 'zone.leaves.page');
    expect(link?.steps).to.deep.equal([
      { name: 'zone', list: true, zone: 'box.twig' },
      { name: 'leaves', list: true, zone: null },
    ]);
  });
});
