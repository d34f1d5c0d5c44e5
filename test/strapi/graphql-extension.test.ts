import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const note: TestModel = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true } },
  attributes: { text: { type: 'string' }, tone: { type: 'enumeration', enum: ['low', 'high'] } },
};

/** Fields that answer with what code of the project computes, as JSON. */
const fields: Readonly<Record<string, { readonly code: string; readonly answer: unknown }>> = {
  services: { code: "Object.keys(await strapi.services['api::note.note'].find({}))", answer: ['results', 'pagination'] },
  query: { code: "await strapi.db.query('api::note.note').count()", answer: 0 },
  config: { code: "strapi.config.get('server.port')", answer: 0 },
  models: { code: "strapi.contentTypes['api::note.note'].attributes.text", answer: { type: 'string' } },
  names: {
    code: `['EntityResponse', 'ContentTypeInput'].map((kind) =>
      strapi.plugin('graphql').service('utils').naming['get' + kind + 'Name'](strapi.getModel('api::note.note')))`,
    answer: ['NoteEntityResponse', 'NoteInput'],
  },
  enumName: {
    code: "strapi.plugin('graphql').service('utils').naming.getEnumName(strapi.contentType('api::note.note'), 'tone')",
    answer: 'ENUM_NOTE_TONE',
  },
  filters: {
    code: `strapi.plugins.graphql.services.utils.mappers.graphQLFiltersToStrapiQuery(
      { text: { contains: 'a' }, or: [{ tone: { eq: 'low' } }] }, strapi.contentTypes['api::note.note'])`,
    answer: { text: { $contains: 'a' }, $or: [{ tone: { $eq: 'low' } }] },
  },
  arguments: {
    code: `Object.keys(strapi.service('plugin::graphql.builders').utils.getContentTypeArgs(strapi.getModel('api::note.note')))`,
    answer: ['filters', 'pagination', 'sort', 'publicationState', 'locale'],
  },
  sharedArguments: {
    code: "Object.keys(strapi.plugin('graphql').service('internals').args)",
    answer: ['PaginationArg', 'PublicationStateArg', 'SortArg'],
  },
  writable: {
    code: `['id', 'createdAt', 'text'].map((name) =>
      require('@strapi/utils').contentTypes.isWritableAttribute(strapi.getModel('api::note.note'), name))`,
    answer: [false, false, true],
  },
  policies: { code: 'context.state.seen', answer: 0 },
  packages: {
    code: `[
      require('nexus').enumType === nexus.enumType,
      require('graphql').GraphQLScalarType.name,
      typeof require('graphql/language').parse,
      require('graphql').isScalarType(require('./own-types').day)]`,
    answer: [true, 'GraphQLScalarType', 'function', true],
  },
};

/** A field of an extension that `bootstrap` registers. */
const late = { code: '', answer: 'in bootstrap' };

/** Types that a file makes with packages of GraphQL. The project has an own copy of one, which no schema could have types of. */
const types = {
  'src/own-types.js': `
    const { GraphQLScalarType } = require('graphql');
    const { queryField } = require('nexus');
    const day = new GraphQLScalarType({ name: 'Day', serialize: (value) => 'day ' + value });
    module.exports = { day, today: queryField('today', { type: 'Day', resolve: () => 3 }) };`,
  'node_modules/graphql/package.json': '{ "name": "graphql", "version": "15.8.0", "main": "index.js" }',
  'node_modules/graphql/index.js': 'exports.GraphQLScalarType = class {};',
};

const index = `module.exports = { register({ strapi: own }) {
  own.plugin('graphql').service('extension').use(({ strapi, nexus }) => ({
    types: [
      ...Object.values(require('./own-types')),
      ${Object.entries(fields)
        .map(
          ([name, { code }]) => `nexus.queryField('${name}', { type: 'String',
            resolve: async (parent, args, context) => JSON.stringify(${code}) })`,
        )
        .join(',\n')}],
    resolversConfig: { 'Query.today': { auth: false }, 'Query.policies': { policies: [
      async (context, config, { strapi }) => { context.context.state.seen = await strapi.db.query('api::note.note').count(); }] } },
  }));
}, bootstrap({ strapi }) {
  strapi.plugin('graphql').service('extension').use({
    typeDefs: 'type Query { late: String }', resolvers: { Query: { late: () => '"in bootstrap"' } } });
} };`;

describe('extensions of GraphQL by code of a project', () => {
  let project: ServedProject;
  before(async () => {
    project = await serveProject({ 'src/index.js': index, ...types }, { models: [note] });
  });
  after(() => project.stop());

  it('makes types with graphql and nexus, which the project has not installed or in another copy', async () => {
    const { body } = await project.call('POST', '/graphql', { query: '{ today }' });
    expect(body).to.deep.equal({ data: { today: 'day 3' } });
  });

  for (const [name, { code, answer }] of Object.entries({ ...fields, late }))
    it(`has ${name} with the strapi of the project: ${code}`, async () => {
      const { body } = await project.call('POST', '/graphql', { query: `{ ${name} }` });
      const { data } = body as { readonly data?: Readonly<Record<string, string>> };
      expect(JSON.parse(data?.[name] ?? JSON.stringify(body))).to.deep.equal(answer);
    });
});
