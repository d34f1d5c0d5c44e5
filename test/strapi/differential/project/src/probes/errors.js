const { errors } = require('@strapi/utils');
const { article, author, event, tag } = require('./uids');

const raise = (error) => () => {
  throw error;
};

/** Errors of project code, as answers. */
module.exports = {
  application: raise(new errors.ApplicationError('own text', { foo: 'bar' })),
  validation: raise(
    new errors.ValidationError('not valid', { errors: [{ path: ['title'], message: 'bad', name: 'ValidationError' }] }),
  ),
  'not-found': raise(new errors.NotFoundError('gone')),
  forbidden: raise(new errors.ForbiddenError()),
  unauthorized: raise(new errors.UnauthorizedError('log in')),
  policy: raise(new errors.PolicyError('closed', { policy: 'own' })),
  pagination: raise(new errors.PaginationError('no such page')),
  'payload-too-large': raise(new errors.PayloadTooLargeError()),
  'rate-limit': raise(new errors.RateLimitError()),
  'not-implemented': raise(new errors.NotImplementedError()),
  plain: raise(new Error('secret text')),
  'with-status': raise(Object.assign(new Error('teapot text'), { status: 418 })),
  'with-status-exposed': raise(Object.assign(new Error('shown text'), { status: 422, expose: true })),
  'type-error': () => undefined.nothing,
  'entity-validation': ({ strapi }) => strapi.entityService.create(author, { data: { email: 'no' } }),
  'entity-unique': ({ strapi }) => strapi.entityService.create(tag, { data: { label: 'red' } }),
  'lifecycle-error': ({ strapi }) => strapi.entityService.create(event, { data: { title: 'refused' } }),
  'service-validation': ({ strapi }) => strapi.service(article).create({ data: { title: 5, kind: 'poem', views: -3 } }),
};
