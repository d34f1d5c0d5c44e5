import { ApiError, applicationError, fieldErrors, type FieldError } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { DuplicateKey } from '../mongo/driver-errors.js';
import type { Values } from '../schema/check-input.js';
import type { ContentType, ScalarAttribute } from '../schema/content-type.js';
import { castInput } from './cast-input.js';
import type { ContentContext } from './content-context.js';

const message = 'This attribute must be unique';
const localeTaken = 'locale is already used';

/** Whether a write lost against another one that made the entry of the same group and locale. */
export const isLocaleTaken = (error: unknown): boolean => error instanceof ApiError && error.message === localeTaken;

/** The unique attributes of a body whose value another entry has. Only asked once something is known to be wrong. */
export async function uniqueErrors(
  type: ContentType,
  data: Values,
  id: number | null,
  context: ContentContext,
): Promise<FieldError[]> {
  const unique = [...type.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute => attribute.kind === 'scalar' && attribute.unique && isSent(data[attribute.name]),
  );
  const taken = await Promise.all(unique.map((attribute) => isTaken(type, attribute, { data, id, context })));
  return unique.filter((_, index) => taken[index]).map(({ name }) => ({ path: [name], message }));
}

const isSent = (value: unknown): boolean => (typeof value === 'string' && !value.includes('\0')) || typeof value === 'number';

interface Candidate {
  readonly data: Values;
  readonly id: number | null;
  readonly context: ContentContext;
}

async function isTaken(type: ContentType, attribute: ScalarAttribute, { data, id, context }: Candidate): Promise<boolean> {
  const value = await castInput(attribute, data[attribute.name]).catch(() => null);
  if (value === null) return false;
  const locale = type.localized ? { locale: data['locale'] ?? context.bind.defaultLocale } : {};
  const filter = { [attribute.name]: { $eq: value }, ...locale, ...(id !== null && { _id: { $ne: id } }) };
  const found = await readAll(context.store.database, { find: type.collection, filter, limit: 1, projection: { _id: 1 } });
  return found.length > 0;
}

/**
 * Runs a write and says which value was taken where a unique index refused it: the index decides, so that of many writers with
 * one value exactly one wins.
 */
export async function orUniqueError<Result>(type: ContentType, data: Values, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    if (error.fields[0] === '_group') throw applicationError(localeTaken);
    throw fieldErrors([{ path: pathOf(error, data, type), message }]);
  }
}

/** The path in the body: the index names the attribute, in components without the positions in lists. */
function pathOf({ fields, value }: DuplicateKey, data: Values, type: ContentType): string[] {
  const isOwn = (name: string): boolean =>
    name.startsWith('_unique.') || (type.attributes.has(name.split('.')[0] ?? '') && name !== 'locale');
  const field = fields.find(isOwn) ?? '';
  const names = field.startsWith('_unique.') ? field.slice('_unique.'.length).split('/') : field.split('.');
  return findPath(data, names, value[field]) ?? names;
}

function findPath(at: unknown, names: readonly string[], wanted: unknown): string[] | null {
  const [name, ...rest] = names;
  if (name === undefined) return String(at) === String(wanted) ? [] : null;
  if (Array.isArray(at)) {
    for (const [index, item] of at.entries()) {
      const path = findPath(item, names, wanted);
      if (path !== null) return [String(index), ...path];
    }
    return null;
  }
  if (typeof at !== 'object' || at === null) return null;
  const path = findPath((at as Values)[name], rest, wanted);
  return path === null ? null : [name, ...path];
}
