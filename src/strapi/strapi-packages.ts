import {
  ApplicationError,
  ForbiddenError,
  NotFoundError,
  PolicyError,
  UnauthorizedError,
  ValidationError,
} from '../graphql/extension/custom-errors.js';
import { missingExport } from './unsupported-code.js';

/**
 * What imports of Strapi's packages give, by the name of the package: the error classes, as `errors` of @strapi/utils. Whatever
 * else is read of them throws an UnsupportedCodeError.
 */
export const strapiPackages = (): Readonly<Record<string, object>> => ({
  '@strapi/strapi': standIn('@strapi/strapi', {}),
  '@strapi/utils': standIn('@strapi/utils', { errors: standIn('@strapi/utils', errorClasses) }),
});

const errorClasses = { ApplicationError, ForbiddenError, NotFoundError, PolicyError, UnauthorizedError, ValidationError };

/** Compiled modules ask every package whether it is an ES module, and for its default export. */
const asked = new Set(['__esModule', 'default', 'then']);

const standIn = (packageName: string, exported: object): object =>
  new Proxy(exported, {
    get: (target, name) => {
      if (typeof name === 'symbol' || name in target || asked.has(name)) return Reflect.get(target, name) as unknown;
      throw missingExport(name, packageName);
    },
  });
