import { expect } from 'chai';
import { createLog } from '../support/create-log.js';
import { serveProject } from '../support/serve-project.js';
import type { ProjectFiles } from '../support/write-project.js';

const model = (name: string) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' } },
});

const own = (name: string, kind: string, options = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}'${options && `, ${options}`});`;

const files = (name: string, routes: string, more: ProjectFiles = {}): ProjectFiles => ({
  [`src/api/${name}/routes/${name}.js`]: own(name, 'Router', routes),
  ...more,
});

const controller = (name: string, methods: string): ProjectFiles => ({
  [`src/api/${name}/controllers/${name}.js`]: own(name, 'Controller', methods),
});

const disabled = {
  'src/index.js':
    "module.exports = { register({ strapi }) { strapi.plugin('graphql').service('extension').shadowCRUD('api::a.a').disableQueries(); } };",
};

/** Code of a project with the types a and b, and the types that GraphQL is said to answer without it. */
const projects: readonly (readonly [title: string, files: ProjectFiles, listed: string | null, isOn?: boolean])[] = [
  ['nothing changed', files('a', ''), null],
  ['an overridden action', files('a', '', controller('a', '{ find: () => [], extra: () => [] }')), 'api::a.a (overridden: find)'],
  [
    'an overridden service',
    files('a', '', { 'src/api/a/services/a.js': own('a', 'Service', '{ create: () => null }') }),
    'api::a.a (overridden: create)',
  ],
  ['a policy', files('a', '{ config: { find: { policies: [() => false] } } }'), 'api::a.a (policies: find)'],
  [
    'guards of two types',
    {
      ...files('a', '{ config: { findOne: { middlewares: [(ctx, next) => next()] } } }', controller('a', '{ find: () => [] }')),
      ...files('b', '{ config: { delete: { policies: [() => false] } } }'),
    },
    'api::a.a (overridden: find; middlewares: findOne), api::b.b (policies: delete)',
  ],
  ['an action that GraphQL lacks', files('a', '', { ...disabled, ...controller('a', '{ find: () => [] }') }), null],
  ['an action of a router that is not served', files('a', "{ except: ['find'] }", controller('a', '{ find: () => [] }')), null],
  ['GraphQL that is off', files('a', '', controller('a', '{ find: () => [] }')), null, false],
];

describe('actions that GraphQL answers without code of the project', () => {
  for (const [title, code, listed, isOn = true] of projects)
    it(`names them for ${title}`, async () => {
      const { logger, lines } = await createLog();
      const config = { plugins: { graphql: { enabled: isOn } } };
      const serving = await serveProject(code, { models: [model('a'), model('b')], config, logger });
      await serving.stop();
      const warnings = lines.map(({ msg }) => String(msg)).filter((text) => text.startsWith('GraphQL answers'));
      expect(warnings.map((text) => /REST: (.*?)\. Guard/.exec(text)?.[1])).to.deep.equal(listed === null ? [] : [listed]);
    });
});
