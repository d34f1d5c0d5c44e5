import type { TestModel } from '../../../support/serve.js';
import { thingModels } from '../../../support/things.js';

const model = (name: string, attributes: object, more: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: name,
  info: { singularName: name, pluralName: `${name}-list`, displayName: name },
  attributes,
  ...more,
});

const component = (uid: string, attributes: object): TestModel => ({
  uid,
  collectionName: uid.replace('.', '_'),
  info: { displayName: uid },
  attributes,
});

const synced = { pluginOptions: { sync: { enabled: true } } };

/** Names that are reserved, no identifiers, or equal but for case; components that contain themselves; types without attributes. */
export const trickyModels: readonly TestModel[] = [
  ...thingModels,
  model('list', {
    class: { type: 'string', required: true },
    default: { type: 'text' },
    in: { type: 'boolean' },
    Title: { type: 'string' },
    title: { type: 'string' },
    'meta-title': { type: 'string' },
    'x-2nd': { type: 'float' },
    X2nd: { type: 'integer' },
    hashCode: { type: 'string' },
    place: { type: 'point' },
    grade: {
      type: 'enumeration',
      enum: ['A', 'a-', 'class', 'data', 'name', 'null', 'no $value "here" \\', 'größe', '🎉 party'],
    },
    parts: { type: 'dynamiczone', components: ['tree.node', 'tree.empty', 'thing.part'] },
    root: { type: 'component', component: 'tree.node' },
    next: { type: 'relation', relation: 'oneToOne', target: 'api::list.list' },
    files: { type: 'media', multiple: true },
  }),
  model('date', {}, { options: { timestamps: false } }),
  model(
    'home',
    { headline: { type: 'string' } },
    { kind: 'singleType', info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' } },
  ),
  model(
    'prefix',
    { note: { type: 'string' } },
    { kind: 'singleType', info: { singularName: 'prefix', pluralName: 'prefixes', displayName: 'Prefix' } },
  ),
  model(
    'url',
    { note: { type: 'string' } },
    { ...synced, info: { singularName: 'url', pluralName: 'token', displayName: 'Url' } },
  ),
  component('tree.node', {
    label: { type: 'string' },
    left: { type: 'component', component: 'tree.node' },
    children: { type: 'component', component: 'tree.node', repeatable: true },
    owner: { type: 'relation', relation: 'oneToOne', target: 'api::person.person' },
  }),
  component('tree.empty', {}),
];
