import { invalidParameter, validationError } from '#base/errors.js';
import type { ContentType, ScalarType } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import { readable } from '../access.js';
import type { KeyQuery, Sort } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import { bindOrder } from '../bind-list.js';
import { bindPlan } from '../bind-plan.js';
import { type Aggregation, type AggregationQuery, type GroupKey, type GroupSort, maxGroups } from './aggregation.js';
import { bindHaving } from './bind-having.js';
import { bindLink, findAttribute, type GroupScope, refuseLong } from './bind-source.js';
import { Figures } from './figures.js';
import { isFunctionName } from './parse-aggregation.js';

/**
 * Binds groups to a content type. Throws a ValidationError for names that the caller may not read, functions that do not fit their
 * attribute, and conditions and orders of what the groups do not have. `minGroup` is the least number of entries of a group.
 */
export function bindAggregation(
  { entries, functions, groupBy, having, timeZone }: AggregationQuery,
  type: ContentType,
  context: BindContext,
  minGroup: number,
): Aggregation {
  const scope = { type, context, state: entries.publicationState ?? 'live' };
  const keys = groupBy.map((key) => bindKey(key, timeZone, scope, 'groupBy'));
  refuseRepeated(keys.map(({ name }) => name));
  const figures = new Figures(scope);
  for (const { name, path } of functions) if (name !== 'count') figures.add(name, path.join('.'), true);
  const bound = {
    having: having === null ? null : bindHaving(having, figures, context),
    sort: entries.sort.map((sort) => bindGroupSort(sort, keys, figures)),
  };
  return {
    entries: bindPlan({ ...entries, sort: [] }, type, context),
    keys,
    figures: figures.list,
    isCountAnswered: functions.some(({ name }) => name === 'count'),
    minGroup,
    maxGroups,
    ...bound,
  };
}

/** Throws a ValidationError if the name of a key is there twice. */
export function refuseRepeated(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw validationError(`Invalid parameter groupBy: ${repeated} is there twice`);
}

/** Binds a key. Throws a ValidationError that names the parameter. */
export function bindKey({ path, unit }: KeyQuery, timeZone: string, scope: GroupScope, parameter: string): GroupKey {
  const written = path.join('.');
  const { attribute, stored, rest } = findAttribute(path, scope);
  if (attribute.kind === 'component') throw invalidParameter(attribute.name);
  if (attribute.kind !== 'scalar') {
    if (unit !== null || rest.length > 1) throw validationError(`Invalid parameter ${parameter}: ${written} cannot be a key`);
    const source = bindLink(attribute, scope);
    const [name] = rest;
    if (name === undefined) return { name: attribute.name, ...source, field: null };
    const field = readable(source.target, name, scope.context.access);
    if (field?.kind !== 'scalar') throw invalidParameter(name);
    refuseLong(field.type, written, parameter);
    return { name: attribute.name, ...source, field };
  }
  const { type } = attribute;
  refuseLong(type, written, parameter);
  if (unit !== null && !isBucketed(type, unit === 'hour'))
    throw validationError(`Invalid parameter ${parameter}: ${written} has no ${unit}`);
  const bucket = unit === null ? null : { unit, timeZone };
  return { name: stored, kind: 'scalar', path: stored, type, bucket, ranges: null };
}

const isBucketed = (type: ScalarType, needsTime: boolean): boolean =>
  scalarTypes[type].stored === 'date' || (type === 'date' && !needsTime);

function bindGroupSort({ path, order }: Sort, keys: readonly GroupKey[], figures: Figures): GroupSort {
  return { by: bindSorted(path, keys, figures), order: bindOrder(order) };
}

/** Binds what groups are sorted by: `count`, a function such as `avg.rating`, or a key, `category` or `category.name`. */
function bindSorted(path: readonly string[], keys: readonly GroupKey[], figures: Figures): GroupSort['by'] {
  const [first = '', ...rest] = path;
  const written = path.join('.');
  const index = keys.findIndex((key) => key.name === written || fieldName(key) === written);
  const key = keys[index];
  if (key !== undefined) return { kind: key.name === written ? 'key' : 'field', index };
  if (first === 'count' && rest.length === 0) return { kind: 'count' };
  if (isFunctionName(first) && first !== 'count' && rest.length > 0)
    return { kind: 'figure', index: figures.add(first, rest.join('.'), false).index };
  throw validationError(`Invalid parameter sort: ${written} is neither a key of the groups nor a function such as avg.rating`);
}

/** Returns the name by which groups are sorted by the field of a key. */
const fieldName = (key: GroupKey): string | null =>
  key.kind === 'link' && key.field !== null ? `${key.name}.${key.field.name}` : null;
