import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** As much of yup 0.32 as the schemas below need: yup is a package of the project. */
const yup = `
  class ValidationError extends Error {
    constructor(inner) {
      super(inner.length === 1 ? inner[0].message : inner.length + ' errors occurred');
      Object.assign(this, { name: 'ValidationError', path: inner.length === 1 ? inner[0].path : undefined, inner: inner.length === 1 ? [] : inner });
    }
  }
  class MixedSchema {
    constructor() { this.tests = []; }
    test(name, message, passes) { this.tests.push({ message, passes }); return this; }
    required() { return this.test('required', '\${path} is a required field', (value) => this._typeCheck(value)); }
    errorsOf(value, path) {
      return this.tests.filter(({ passes }) => !passes(value)).map(({ message }) => ({ path, name: 'ValidationError', message: message.replace('\${path}', path) }));
    }
    validateSync(value, options) {
      const errors = this.errorsOf(value, '');
      if (errors.length > 0) throw new ValidationError(errors);
      return { value, options };
    }
    async validate(value, options) { return this.validateSync(value, options); }
  }
  class ObjectSchema extends MixedSchema {
    constructor(shape) { super(); this.shape = shape; }
    errorsOf(value) { return Object.entries(this.shape).flatMap(([name, schema]) => schema.errorsOf(value[name], name)); }
  }
  const mixed = () => new MixedSchema();
  mixed.prototype = MixedSchema.prototype;
  module.exports = { ValidationError, MixedSchema, mixed, object: (shape) => new ObjectSchema(shape),
    addMethod: (type, name, method) => { type.prototype[name] = method; }, setLocale: (locale) => { module.exports.locale = locale; } };`;

const schema = `utils.yup.object({ role: utils.yup.strapiID().required(), 'name.first': utils.yup.mixed().notNil(), age: utils.yup.mixed().notNull() })`;

const faults = [
  { path: ['role'], name: 'ValidationError', message: 'role is a required field' },
  { path: ['name', 'first'], name: 'ValidationError', message: 'name.first must be defined.' },
  { path: ['age'], name: 'ValidationError', message: 'age cannot be null.' },
];

const values: readonly (readonly [code: string, value: unknown])[] = [
  ['utils.yup === utils.yup', true],
  ["['lib', 'dist/index', 'dist/index.js'].every((file) => require('@strapi/utils/' + file) === utils)", true],
  ["['lib/errors', 'dist/errors.js'].every((file) => require('@strapi/utils/' + file) === utils.errors)", true],
  ["require('../../node_modules/@strapi/utils/lib/content-types') === utils.contentTypes", true],
  ["typeof require('@strapi/strapi/lib/factories').createCoreRouter", 'function'],
  ["typeof require('../../node_modules/@strapi/plugin-users-permissions/server/utils/index.d.ts').getService", 'function'],
  [
    "require('@strapi/strapi/lib/core-api/controller/transform').transformResponse([{ id: 1, a: 2 }], { b: 3 })",
    { data: [{ id: 1, attributes: { a: 2 } }], meta: { b: 3 } },
  ],
  [
    "require('@strapi/plugin-users-permissions/server/controllers/validation/user').validateUpdateUserBody({ username: 'a' })",
    undefined,
  ],
  [
    `utils.validateYupSchemaSync(${schema})({ role: 1, 'name.first': 'a' })`,
    { value: { role: 1, 'name.first': 'a' }, options: { strict: true, abortEarly: false } },
  ],
  [
    `utils.validateYupSchema(${schema}, { strict: false })({ role: '1', 'name.first': 'a' })`,
    { value: { role: '1', 'name.first': 'a' }, options: { strict: false, abortEarly: false } },
  ],
  [
    "utils.yup.locale.mixed.notType({ path: 'age', type: 'number', value: null, originalValue: null })",
    'age must be a `number` type, but the final value was: `null`.',
  ],
  ["new utils.errors.RateLimitError('slow down', { wait: 5 }).details", { wait: 5 }],
  ["utils.getAbsoluteServerUrl({ get: (key) => ({ 'server.url': 'https://a.example/cms' })[key] })", 'https://a.example/cms'],
  [
    "utils.getAbsoluteServerUrl({ get: (key) => ({ 'server.url': null, 'server.host': '0.0.0.0', 'server.port': 5, environment: 'development' })[key] })",
    'http://localhost:5',
  ],
  [
    "utils.getAbsoluteAdminUrl({ get: (key) => ({ 'server.url': '', 'server.host': 'a.example', 'server.port': 5 })[key] })",
    'http://a.example:5/admin',
  ],
  [
    "utils.getAbsoluteAdminUrl({ get: (key) => ({ 'server.url': 'https://a.example/', 'admin.url': '/panel' })[key] })",
    'https://a.example/panel',
  ],
  [
    "utils.getAbsoluteAdminUrl({ get: (key) => ({ 'server.url': 'https://a.example', 'admin.url': 'https://b.example' })[key] })",
    'https://b.example',
  ],
  [
    `utils.convertQueryParams.transformParamsToQuery('plugin::users-permissions.user', { filters: { username: { $eq: 'ann' } },
      sort: 'username:desc,id', fields: ['username'], populate: { role: { fields: ['name'] } }, page: '2', pageSize: 5, locale: 'en' })`,
    {
      where: { username: { $eq: 'ann' } },
      orderBy: [{ username: 'desc' }, { id: 'asc' }],
      select: ['id', 'username'],
      populate: { role: { select: ['id', 'name'] } },
      page: 2,
      pageSize: 5,
    },
  ],
  [
    "utils.convertQueryParams.transformParamsToQuery('plugin::users-permissions.user', { start: 1, limit: -1, _q: 'x', publicationState: 'live' })",
    { offset: 1, limit: undefined, _q: 'x' },
  ],
  ["utils.convertQueryParams.convertSortQueryParams('name:desc,id')", [{ name: 'desc' }, { id: 'asc' }]],
  ["utils.convertQueryParams.convertFieldsQueryParams('name, type')", ['id', 'name', 'type']],
  ["utils.convertQueryParams.convertPopulateQueryParams('*', strapi.getModel('plugin::users-permissions.role'))", true],
  [
    "utils.convertQueryParams.convertFiltersQueryParams({ type: 'public' }, strapi.getModel('plugin::users-permissions.role'))",
    { type: { $eq: 'public' } },
  ],
  ['[-1, "5"].map(utils.convertQueryParams.convertLimitQueryParams)', [undefined, 5]],
  ['utils.pagination.withDefaultPagination({ sort: "id" })', { sort: 'id', start: 0, limit: 10 }],
  ['utils.pagination.withDefaultPagination({ page: 2, pageSize: 5 })', { start: 5, limit: 5 }],
  ['utils.pagination.withDefaultPagination({ start: 1, limit: 500 }, { maxLimit: 100 })', { start: 1, limit: 100 }],
  ['utils.pagination.withDefaultPagination({ limit: -1 }, { maxLimit: 50 })', { start: 0, limit: 50 }],
  [
    "[utils.relations.getRelationalFields(strapi.getModel('plugin::users-permissions.role')), utils.relations.isAnyToOne({ type: 'relation', relation: 'manyToOne' })]",
    [['permissions', 'users', 'createdBy', 'updatedBy'], true],
  ],
  ["utils.contentTypes.getContentTypeRoutePrefix(strapi.getModel('plugin::users-permissions.role'))", 'roles'],
  ['utils.contentTypes.getOptions({ attributes: {}, options: { a: 1 } })', { draftAndPublish: false, a: 1 }],
  ['[2048, 0, 3e6].map(utils.file.bytesToHumanReadable)', ['2 KB', '0 Bytes', '3 MB']],
  ["utils.file.streamToBuffer(require('node:stream').Readable.from(['ab', 'c'])).then(String)", 'abc'],
  ["utils.file.getStreamSize(require('node:stream').Readable.from(['ab', 'c']))", 3],
  ['[utils.file.bytesToKbytes(2048), utils.file.kbytesToBytes(2)]', [2.05, 2000]],
  [
    "[utils.stringIncludes([1, '2'], '1'), utils.isKebabCase('a-b1'), utils.isCamelCase('a-b'), utils.escapeQuery('a%b', '%')]",
    [true, true, false, 'a\\%b'],
  ],
  [
    "[utils.nameToCollectionName('My Name'), utils.toRegressedEnumValue('á b'), utils.startsWithANumber('1a')]",
    ['my_name', 'a_b', true],
  ],
  ["utils.policy.createPolicyContext('koa', { a: 1 }).is('koa')", true],
  ['utils.sanitizeEntity', undefined],
  ["require('@strapi/strapi').Strapi", undefined],
  ['utils.contentTypes.nothing', undefined],
];

const refused: readonly (readonly [code: string, error: object])[] = [
  [
    '(async () => utils.pagination.withDefaultPagination({ page: 1, start: 1 }))()',
    { name: 'PaginationError', message: 'Cannot use both page & offset pagination in the same query' },
  ],
  [
    "(async () => utils.convertQueryParams.transformParamsToQuery('plugin::users-permissions.user', { start: -1 }))()",
    { name: 'ValidationError', message: 'start must be a whole number of at least 0, not -1' },
  ],
  [
    `utils.validateYupSchema(${schema})({ age: null })`,
    { name: 'ValidationError', status: 400, message: '3 errors occurred', details: { errors: faults } },
  ],
  [`utils.validateYupSchema(${schema})({ age: null }, 'wrong body')`, { message: 'wrong body', details: { errors: faults } }],
  [
    `(async () => utils.validateYupSchemaSync(${schema})({ role: -1, 'name.first': 1 }))()`,
    { name: 'ValidationError', message: 'role is a required field', details: { errors: faults.slice(0, 1) } },
  ],
  [
    "(async () => utils.handleYupError(new utils.yup.ValidationError([{ path: 'a', message: 'no' }, { path: 'b[0].c', message: 'no' }]), 'both'))()",
    {
      message: 'both',
      details: {
        errors: [
          { path: ['a'], message: 'no', name: undefined },
          { path: ['b', '0', 'c'], message: 'no', name: undefined },
        ],
      },
    },
  ],
  [
    "require('@strapi/plugin-users-permissions/server/controllers/validation/user').validateCreateUserBody({ username: '', email: 'a@example.org', role: 1 })",
    { name: 'ValidationError', message: '3 errors occurred' },
  ],
  [
    "utils.validateYupSchema({ validate: async () => { throw new TypeError('a bug') } })({})",
    { name: 'TypeError', message: 'a bug' },
  ],
];

const evaluate = ({ strapi }: ServedProject, code: string): unknown =>
  (0, eval)(`(require) => { const utils = require('@strapi/utils'); return ${code}; }`)(strapi.requireOfTest);

const index = {
  'src/index.js':
    'module.exports = { register({ strapi }) { globalThis.projectStrapi = strapi; strapi.requireOfTest = require; } };',
};

describe('@strapi/utils in the code of a project', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject({ ...index, 'node_modules/yup/index.js': yup }, { models: [] });
  });
  after(() => serving.stop());

  for (const [code, value] of values)
    it(code, async () => {
      expect(await evaluate(serving, code)).to.deep.equal(value);
    });

  for (const [code, error] of refused)
    it(`${code} throws`, async () => {
      const thrown = await Promise.resolve(evaluate(serving, code)).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(thrown).to.deep.include(error);
    });
});

describe('@strapi/utils without yup in the project', () => {
  it('has the version of Strapi v4', async () => {
    const serving = await serveProject(index, { models: [] });
    try {
      const schema = 'utils.yup.object({ name: utils.yup.string().required(), role: utils.yup.strapiID().notNil() }).noUnknown()';
      const thrown = await evaluate(serving, `utils.validateYupSchema(${schema})({ role: {} }).catch((error) => error)`);
      expect(thrown).to.deep.include({ name: 'ValidationError', message: '2 errors occurred' });
    } finally {
      await serving.stop();
    }
  });
});
