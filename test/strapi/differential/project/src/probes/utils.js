const utils = require('@strapi/utils');
const { attempt } = require('./describe');
const { article, author, setting, tag, user } = require('./uids');

const { contentTypes, errors, nameToSlug, pipeAsync, mapAsync, reduceAsync, forEachAsync, sanitize, validate } = utils;

/** Exports of @strapi/utils. */
module.exports = {
  'sanitize-output': async ({ strapi, ctx }) => {
    const entry = await strapi.entityService.findOne(article, 1, { populate: { author: true, seo: true } });
    return sanitize.contentAPI.output(entry, strapi.getModel(article), { auth: ctx.state.auth });
  },
  'sanitize-output-list': async ({ strapi }) =>
    sanitize.contentAPI.output(await strapi.query(author).findMany({ orderBy: 'id' }), strapi.getModel(author)),
  'sanitize-output-user': async ({ strapi }) =>
    sanitize.contentAPI.output(await strapi.query(user).findOne({ where: { id: 1 }, populate: true }), strapi.getModel(user)),
  'sanitize-input': ({ strapi, ctx }) =>
    sanitize.contentAPI.input({ id: 4, label: 'x', nothing: 1, createdAt: 'y', weight: 2 }, strapi.getModel(tag), {
      auth: ctx.state.auth,
    }),
  'sanitize-input-components': ({ strapi }) =>
    sanitize.contentAPI.input(
      { siteName: 'x', seo: { metaTitle: 'y', other: 1 }, limits: { any: true } },
      strapi.getModel(setting),
    ),
  'sanitize-query': ({ strapi, ctx }) =>
    sanitize.contentAPI.query(
      { filters: { title: 'Salt' }, sort: 'title:desc', fields: ['title'], populate: { author: { fields: ['name'] } } },
      strapi.getModel(article),
      { auth: ctx.state.auth },
    ),
  'sanitize-query-populate': ({ strapi, ctx }) =>
    sanitize.contentAPI.query({ populate: 'author' }, strapi.getModel(article), { auth: ctx.state.auth }),
  'sanitize-query-private': ({ strapi, ctx }) =>
    attempt(() =>
      sanitize.contentAPI.query({ filters: { secret: 'hidden' }, sort: 'secret' }, strapi.getModel(article), {
        auth: ctx.state.auth,
      }),
    ),
  'validate-query': async ({ strapi, ctx }) => {
    await validate.contentAPI.query({ filters: { title: 'Salt' } }, strapi.getModel(article), { auth: ctx.state.auth });
    return 'valid';
  },
  'validate-query-private': ({ strapi, ctx }) =>
    attempt(() =>
      validate.contentAPI.query({ filters: { secret: 'hidden' } }, strapi.getModel(article), { auth: ctx.state.auth }),
    ),
  'validate-query-unknown': ({ strapi, ctx }) =>
    attempt(() => validate.contentAPI.query({ sort: 'nothing' }, strapi.getModel(article), { auth: ctx.state.auth })),
  'validate-input': ({ strapi, ctx }) =>
    attempt(async () => {
      await validate.contentAPI.input({ label: 'x' }, strapi.getModel(tag), { auth: ctx.state.auth });
      return 'valid';
    }),
  errors: () =>
    [
      'ApplicationError',
      'ForbiddenError',
      'NotFoundError',
      'PaginationError',
      'PayloadTooLargeError',
      'PolicyError',
      'RateLimitError',
      'UnauthorizedError',
      'ValidationError',
    ].map((name) => {
      const error = new errors[name]();
      return [error.name, error.message, error.details];
    }),
  'error-own-text': () => {
    const error = new errors.ValidationError('wrong', { errors: [{ path: ['a'] }] });
    return [error.name, error.message, error.details, error instanceof errors.ApplicationError, error instanceof Error];
  },
  'error-policy': () => {
    const error = new errors.PolicyError('no', { why: 'so' });
    return [error.message, error.details, error instanceof errors.ForbiddenError];
  },
  'name-to-slug': () => [nameToSlug('Über den Wolken!'), nameToSlug('Salt & Pepper', { separator: '_' })],
  'pipe-async': async () =>
    (
      await pipeAsync(
        (a) => a + 1,
        async (a) => a * 2,
      )
    )(3),
  'map-async': () => mapAsync([1, 2], async (value, index) => value * 10 + index),
  'reduce-async': () => reduceAsync([1, 2, 3])(async (sum, value) => sum + value, 10),
  'for-each-async': async () => {
    const seen = [];
    await forEachAsync([1, 2], async (value) => seen.push(value));
    return seen;
  },
  'content-types': ({ strapi }) => {
    const model = strapi.getModel(article);
    return {
      single: contentTypes.isSingleType(strapi.getModel(setting)),
      collection: contentTypes.isCollectionType(model),
      drafts: contentTypes.hasDraftAndPublish(model),
      private: contentTypes.isPrivateAttribute(model, 'secret'),
      scalars: contentTypes.getScalarAttributes(model).sort(),
      media: contentTypes.isMediaAttribute(model.attributes.cover),
      relational: contentTypes.isRelationalAttribute(model.attributes.author),
      component: contentTypes.isComponentAttribute(model.attributes.seo),
      zone: contentTypes.isDynamicZoneAttribute(model.attributes.blocks),
    };
  },
  constants: () => {
    const { ID_ATTRIBUTE, PUBLISHED_AT_ATTRIBUTE, CREATED_BY_ATTRIBUTE, SINGLE_TYPE, COLLECTION_TYPE } = contentTypes.constants;
    return { ID_ATTRIBUTE, PUBLISHED_AT_ATTRIBUTE, CREATED_BY_ATTRIBUTE, SINGLE_TYPE, COLLECTION_TYPE };
  },
  env: () => {
    process.env.PROBE_TEXT = 'text';
    process.env.PROBE_NUMBER = '5';
    process.env.PROBE_FLAG = 'true';
    process.env.PROBE_JSON = '{"a":1}';
    process.env.PROBE_LIST = 'a, b';
    const { env } = utils;
    return [
      env('PROBE_TEXT'),
      env.int('PROBE_NUMBER'),
      env.bool('PROBE_FLAG'),
      env.json('PROBE_JSON'),
      env.array('PROBE_LIST'),
      env('PROBE_NONE', 'default'),
    ];
  },
  'remove-undefined': () => utils.removeUndefined({ a: 1, b: undefined }),
  'parse-multipart': ({ ctx }) => attempt(() => utils.parseMultipartData(ctx)),
  'server-url': ({ strapi }) => typeof utils.getAbsoluteServerUrl(strapi.config),
  yup: () =>
    attempt(async () => {
      const schema = utils.yup.object({ name: utils.yup.string().required(), age: utils.yup.number().min(18) });
      return utils.validateYupSchema(schema)({ name: 'Ann', age: 3 });
    }),
  'yup-valid': async () => utils.validateYupSchema(utils.yup.object({ name: utils.yup.string().required() }))({ name: 'Ann' }),
  'yup-strict': () =>
    attempt(() =>
      utils.validateYupSchemaSync(utils.yup.object({ name: utils.yup.string() }).noUnknown())({ name: 'Ann', other: 1 }),
    ),
  'policy-create': () => typeof utils.policy.createPolicy,
};
