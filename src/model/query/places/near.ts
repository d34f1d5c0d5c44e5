import { validationError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { type Place, readPlace } from '../../schema/scalars/place.js';
import type { ContentType } from '../../schema/content-type.js';
import { accessInPart, readable, type Access } from '../access.js';
import { type Filter, within } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import { numberIn } from './shapes.js';
import { earthRadius } from './geodesy.js';

/** The place that the entries of a list are near to. */
export interface Near {
  /** The path of their own places in documents. */
  readonly path: string;
  readonly center: Place;
  /** Metres; null if there is no bound. */
  readonly maxDistance: number | null;
  /** Set if the caller may not know the distances, because code asks for them. */
  readonly isHidden?: true;
}

/** A list that is read from the nearest entry on, with a filter on the distance. */
interface NearList {
  readonly near: Near;
  readonly filter: Filter;
}

/**
 * Returns what a list is near to, and its filter with a condition on the distance in place of `$near`; null if the filter has no `$near`
 * that each entry must meet. Names that may not be read, and others below which `$near` cannot be, are left to the binding of the filter.
 * Throws a ValidationError if the operand is wrong, or there are several.
 */
export function findNear(filter: Filter | null, type: ContentType, context: BindContext): NearList | null {
  if (filter === null || !hasNear(filter)) return null;
  const places: Near[] = [];
  const changed = replaceNear(filter, { type, access: context.access, prefix: '' }, { context, nears: places });
  const [near, second] = places;
  if (near === undefined) return null;
  if (second !== undefined) throw invalid('a query can have it only once');
  return { near, filter: changed };
}

/** Returns whether a filter has `$near`. Nearly none has, and each list asks. */
const hasNear = (filter: Filter): boolean =>
  filter.kind === 'near' ||
  (filter.kind === 'field' && hasNear(filter.filter)) ||
  (filter.kind === 'and' && filter.filters.some(hasNear));

interface Scope {
  readonly type: ContentType;
  readonly access: Access;
  /** Path of the object in the document, with a trailing dot. */
  readonly prefix: string;
}

interface NearSearch {
  readonly context: BindContext;
  readonly nears: Near[];
}

function replaceNear(filter: Filter, scope: Scope, found: NearSearch): Filter {
  if (filter.kind === 'and') return { kind: 'and', filters: filter.filters.map((one) => replaceNear(one, scope, found)) };
  if (filter.kind !== 'field') return filter;
  const attribute = readable(scope.type, filter.name, scope.access);
  if (attribute?.kind === 'scalar' && attribute.type === 'point')
    return { ...filter, filter: replaceOperand(filter.filter, `${scope.prefix}${attribute.name}`, found.nears) };
  if (attribute?.kind !== 'component' || attribute.repeatable) return filter;
  const part = found.context.registry.types.get(attribute.component);
  if (part === undefined) return filter;
  const access = accessInPart(scope.access, scope.type, attribute.name);
  const inner = { type: part, access, prefix: `${scope.prefix}${attribute.name}.` };
  return { ...filter, filter: replaceNear(filter.filter, inner, found) };
}

function replaceOperand(filter: Filter, path: string, places: Near[]): Filter {
  if (filter.kind === 'and') return { kind: 'and', filters: filter.filters.map((one) => replaceOperand(one, path, places)) };
  if (filter.kind !== 'near') return filter;
  const { center, maxDistance, minDistance } = parseNear(filter.value);
  places.push({ path, center, maxDistance });
  const circle = (radius: number): Filter => within({ circle: { ...center, radius } });
  const outer = circle(maxDistance ?? Math.PI * earthRadius);
  if (minDistance === null || minDistance === 0) return outer;
  return { kind: 'and', filters: [outer, { kind: 'not', filter: circle(minDistance) }] };
}

function parseNear(input: unknown) {
  const { lng, lat, maxDistance, minDistance, ...others } = isRecord(input) ? input : {};
  const center = readPlace({ lng: numberIn(lng), lat: numberIn(lat) });
  if (center === null) throw invalid('expected lng (-180 to 180) and lat (-90 to 90)');
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`${other} is not one of lng, lat, maxDistance, minDistance`);
  return {
    center,
    maxDistance: metresIn('maxDistance', maxDistance),
    minDistance: metresIn('minDistance', minDistance),
  };
}

function metresIn(name: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const metres = numberIn(value);
  if (!(metres >= 0)) throw invalid(`${name} must be a number of metres`);
  return metres;
}

const invalid = (reason: string): Error => validationError(`Invalid parameter $near: ${reason}`);

/** Returns the error for `$near` at a place where it has no meaning. */
export const misplacedNear = (): Error =>
  invalid('it is a condition on a point of a list itself, not below $or, $not, a relation or a list of components');
