import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ValidationError } from '#base/errors.js';
import { notOfType } from '#model/schema/findings.js';

interface YupError extends Error {
  readonly path?: string;
  readonly inner: readonly YupError[];
}

interface Schema {
  readonly test: (name: string, message: string, passes: (value: unknown) => boolean) => Schema;
  readonly validate: (value: unknown, options: object) => Promise<unknown>;
  readonly validateSync: (value: unknown, options: object) => unknown;
}

interface TypeFault {
  readonly path: string;
  readonly type: string;
  readonly value: unknown;
  readonly originalValue: unknown;
}

/** What is used of the package yup 0.32. */
interface Yup {
  readonly mixed: unknown;
  readonly MixedSchema: new (options: { readonly type: string }) => Schema;
  readonly ValidationError: new (...input: never) => YupError;
  readonly addMethod: (type: unknown, name: string, method: (this: Schema, message?: string) => Schema) => void;
  readonly setLocale: (locale: { readonly mixed: { readonly notType: (fault: TypeFault) => string } }) => void;
}

/** `errors.YupValidationError` of @strapi/utils. */
export class YupValidationError extends ValidationError {
  constructor(error: YupError, message?: string) {
    const inner = error.inner.length === 0 ? [error] : error.inner;
    const errors = inner.map(({ path, message, name }) => ({ path: path?.match(/[^.[\]"]+/g) ?? [], message, name }));
    super(message === undefined || message === '' ? error.message : message, { errors });
  }
}

/**
 * `yup` of @strapi/utils, and the functions that check bodies with it. The package is that of the project, so that schemas of both can be
 * combined: the one that its @strapi/utils depends on, or its own; without either, the one that Strapi v4 uses.
 */
export function projectYup(directory: string) {
  let loadedYup: Yup | null = null;
  const yup = (): Yup => (loadedYup ??= extended(loadYup(directory)));
  const handleYupError = (error: YupError, message?: string): never => {
    throw new YupValidationError(error, message);
  };
  const refuse = (error: unknown, message?: string): never => {
    if (error instanceof yup().ValidationError) handleYupError(error, message);
    throw error;
  };
  const withDefaults = (options: object): object => ({ strict: true, abortEarly: false, ...options });
  return {
    yup,
    handleYupError,
    validateYupSchema:
      (schema: Schema, options: object = {}) =>
      async (body: unknown, message?: string): Promise<unknown> =>
        schema.validate(body, withDefaults(options)).catch((error: unknown) => refuse(error, message)),
    validateYupSchemaSync:
      (schema: Schema, options: object = {}) =>
      (body: unknown, message?: string): unknown => {
        try {
          return schema.validateSync(body, withDefaults(options));
        } catch (error) {
          return refuse(error, message);
        }
      },
  };
}

/** The version of Strapi v4. It is loaded when code of a project asks for it. */
const ownYup = (): Yup => createRequire(import.meta.url)('strapi-yup') as Yup; // the package that Strapi's code expects

function loadYup(directory: string): Yup {
  const require = createRequire(join(directory, 'package.json'));
  const folders = [join(directory, 'node_modules', '@strapi', 'utils'), directory];
  const found = folders.flatMap((folder) => {
    try {
      return [require.resolve('yup', { paths: [folder] })];
    } catch {
      return [];
    }
  });
  return found[0] === undefined ? ownYup() : (require(found[0]) as Yup); // the same package
}

/** Adds what @strapi/utils adds to the package. */
function extended(yup: Yup): Yup {
  yup.addMethod(yup.mixed, 'notNil', function (message = '${path} must be defined.') {
    return this.test('defined', message, (value) => value !== undefined && value !== null);
  });
  yup.addMethod(yup.mixed, 'notNull', function (message = '${path} cannot be null.') {
    return this.test('defined', message, (value) => value !== null);
  });
  yup.setLocale({
    mixed: { notType: ({ path, type, value, originalValue }) => notOfType(path, type, value, originalValue) },
  });
  class StrapiIDSchema extends yup.MixedSchema {
    constructor() {
      super({ type: 'strapiID' });
    }
    /** Called by yup. */
    _typeCheck(value: unknown): boolean {
      return typeof value === 'string' || (Number.isInteger(value) && Number(value) >= 0);
    }
  }
  return Object.assign({ ...yup }, { StrapiIDSchema, strapiID: () => new StrapiIDSchema() });
}
