import type { TestModel } from '../support/serve.js';

export const script = '<script>alert(1)</script>';

const type = (name: string, rest: object): TestModel => ({
  uid: `api::${name}.${name}`,
  collectionName: `${name}s`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: `The ${name}` },
  ...rest,
});

/** Models that are in force, refused, missing, and served differently from what is written, with HTML in labels and values. */
export const statusModels: readonly TestModel[] = [
  type('note', {
    info: { singularName: 'note', pluralName: 'notes', displayName: `Note ${script}` },
    attributes: {
      title: { type: 'string' },
      secret: { type: 'string' },
      owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
    },
  }),
  type('broken', { attributes: 1 }),
  type('odd', { attributes: { [`a${script}`]: { type: 'string' } } }),
  type('partial', { attributes: { title: { type: 'string' }, wrong: { type: `nonsense ${script}` } } }),
  type('lonely', { attributes: { far: { type: 'relation', relation: 'oneToOne', target: 'api::away.away' } } }),
];
