import { array, boolean, lazy, mixed, number, object, reach, string, ValidationError } from 'yup';
import type { AnyObjectSchema, InferType, ISchema } from 'yup';
import { type FieldError, fieldErrors } from '#base/errors.js';
import { splitPath } from '#model/schema/findings.js';
import { decodeId } from '#base/values.js';

export { array, boolean, lazy, mixed, number, object, string };

/** An id: a number, or a text, which forms of the panel send. */
export const id = () =>
  mixed<number | string>().test(
    'id',
    ({ path }: { readonly path: string }) => `${path} must be an id`,
    (value) => value === undefined || value === null || (typeof value !== 'object' && decodeId(value) > 0),
  );

const idsBody = object({ ids: array().of(id().required()).min(1).required() }).noUnknown();

/** Returns the ids in the body of a request that deletes several documents, each once. */
export const checkIds = async (body: unknown): Promise<number[]> => idsIn((await checkPanelBody(idsBody, body)).ids);

/** Returns the ids of a checked list as numbers, each once. */
export const idsIn = (ids: readonly (number | string)[] = []): number[] => [...new Set(ids.map(decodeId))];

/** Most items of a list, or keys of an object, in a body. A wrong one takes 0.06 ms. */
const mostItems = 5_000;

/** Number of levels at which bodies have lists and objects with any keys. */
const listLevels = 4;

/** A checked body. JSON knows no undefined, so that a key which is there has a value. */
type Checked<Schema extends AnyObjectSchema> = {
  readonly [Name in keyof InferType<Schema>]: Exclude<InferType<Schema>[Name], undefined>;
};

/**
 * Returns a body that meets a schema. Values are not cast, and unknown keys are refused if the schema says so (`noUnknown`). Throws a
 * ValidationError with all problems, in the order of the schema; with one problem if a list or object is too large.
 */
export async function checkPanelBody<Schema extends AnyObjectSchema>(schema: Schema, body: unknown): Promise<Checked<Schema>> {
  refuseLarge(body, []);
  try {
    return (await schema.validate(body ?? {}, { strict: true, abortEarly: false })) as Checked<Schema>; // as yup has checked
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const problems = error.inner.length > 0 ? error.inner : [error];
    throw fieldErrors(problems.map((problem) => describe(problem, schema)));
  }
}

function refuseLarge(value: unknown, path: readonly string[]): void {
  if (typeof value !== 'object' || value === null || path.length > listLevels) return;
  const inside = Object.entries(value);
  if (inside.length > mostItems) {
    const message = `${path.join('.')} field must have less than or equal to ${String(mostItems)} items`;
    throw fieldErrors([{ path, message }]);
  }
  for (const [name, inner] of inside) refuseLarge(inner, [...path, name]);
}

/** Null has the message of a value of another type, as in Strapi v4. */
function describe({ path = '', type, message }: ValidationError, schema: AnyObjectSchema): FieldError {
  if (type !== 'nullable') return { path: splitPath(path), message };
  const { type: expected } = reach(schema, path) as ISchema<unknown> & { readonly type: string }; // every schema has a type
  return { path: splitPath(path), message: `${path} must be a \`${expected}\` type, but the final value was: \`null\`.` };
}
