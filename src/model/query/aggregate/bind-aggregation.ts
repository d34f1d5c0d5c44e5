import { invalidParameter, validationError } from '#base/errors.js';
import { type Attribute, type ContentType, type LinkAttribute, type ScalarType } from '../../schema/content-type.js';
import { idRule, scalarTypes } from '../../schema/scalar-types.js';
import { accessInPart, maySee, readable } from '../access.js';
import type { Filter, Query, Sort } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import { bindComparisons, bindGroups, type Polarity } from '../bind-comparisons.js';
import { bindOrder } from '../bind-list.js';
import { bindVisible } from '../bind-nested.js';
import { bindPlan } from '../bind-plan.js';
import { allOf, comparesText, orNull, termsOf } from '../conditions.js';
import { castOperands, currentMoment } from '../moment.js';
import type { Condition } from '../plan.js';
import {
  type Aggregation,
  type AggregationQuery,
  countPath,
  type Figure,
  figurePath,
  type GroupKey,
  type GroupSort,
  type KeyQuery,
  type LinkSource,
  type Source,
} from './aggregation.js';
import { isFunctionName } from './parse-aggregation.js';

/** What groups are bound for. */
interface Scope {
  readonly type: ContentType;
  readonly context: BindContext;
  readonly state: NonNullable<Query['publicationState']>;
}

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
  const keys = groupBy.map((key) => bindKey(key, timeZone, scope));
  refuseRepeated(keys);
  const figures = new Figures(scope);
  const isCountAnswered = functions.some(({ name }) => name === 'count');
  for (const { name, path } of functions) if (name !== 'count') figures.add(name, path.join('.'), true);
  const bound = {
    having: having === null ? null : bindHaving(having, figures, context),
    sort: entries.sort.map((sort) => bindGroupSort(sort, keys, figures)),
  };
  const plan = bindPlan({ ...entries, sort: [] }, type, context);
  return { entries: plan, keys, figures: figures.list, isCountAnswered, minGroup, ...bound };
}

function refuseRepeated(keys: readonly GroupKey[]): void {
  const names = keys.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw validationError(`Invalid parameter groupBy: ${repeated} is there twice`);
}

/** The types by which entries cannot be grouped, because hardly two values are equal, or they are no values to compare. */
const ungroupable: ReadonlySet<ScalarType> = new Set(['richtext', 'text', 'json', 'blocks', 'password']);

function bindKey({ path, unit }: KeyQuery, timeZone: string, scope: Scope): GroupKey {
  const written = path.join('.');
  const { attribute, stored, rest } = findAttribute(path, scope);
  if (attribute.kind !== 'scalar') {
    if (unit !== null || rest.length > 1) throw validationError(`Invalid parameter groupBy: ${written} cannot be a key`);
    const source = bindLink(attribute, scope);
    const [name] = rest;
    const field = name === undefined ? null : readable(source.target, name, scope.context.access);
    if (name !== undefined && field?.kind !== 'scalar') throw invalidParameter(name);
    return { name: attribute.name, ...source, field: field?.kind === 'scalar' ? field : null };
  }
  const { type } = attribute;
  if (ungroupable.has(type))
    throw validationError(`Invalid parameter groupBy: entries cannot be grouped by ${written}, a ${type}`);
  if (unit !== null && !isBucketed(type, unit === 'hour'))
    throw validationError(`Invalid parameter groupBy: ${written} has no ${unit}`);
  const bucket = unit === null ? null : { unit, timeZone };
  return { name: stored, kind: 'scalar', path: stored, type, bucket };
}

const isBucketed = (type: ScalarType, needsTime: boolean): boolean =>
  scalarTypes[type].stored === 'date' || (type === 'date' && !needsTime);

interface FoundAttribute {
  readonly attribute: Extract<Attribute, { kind: 'scalar' | 'relation' | 'media' }>;
  /** Its path in documents. */
  readonly stored: string;
  /** The names after that of a relation. */
  readonly rest: readonly string[];
}

/** Finds the scalar attribute, or the relation, that a path leads to through components that are not repeatable. */
function findAttribute(path: readonly string[], { type, context }: Scope): FoundAttribute {
  let [owner, access, stored] = [type, context.access, ''];
  for (const [index, name] of path.entries()) {
    const attribute = readable(owner, name, access);
    if (attribute === null) throw invalidParameter(name);
    stored += attribute.name;
    const rest = path.slice(index + 1);
    if (attribute.kind === 'scalar' && rest.length === 0) return { attribute, stored, rest };
    if ((attribute.kind === 'relation' || attribute.kind === 'media') && index === 0) return { attribute, stored, rest };
    const component =
      attribute.kind === 'component' && !attribute.repeatable ? context.registry.types.get(attribute.component) : null;
    if (!component || rest.length === 0) throw invalidParameter(rest[0] ?? name);
    access = accessInPart(access, owner, attribute.name);
    owner = component;
    stored += '.';
  }
  throw invalidParameter(path.at(-1) ?? '');
}

/** Binds a relation whose entries the caller may find. Drafts, and entries that a row rule hides, are not visible. */
function bindLink(link: LinkAttribute, { context, state }: Scope): LinkSource {
  const target = context.registry.types.get(link.target);
  const isStored = link.storage.kind === 'own' || link.storage.kind === 'inverse';
  if (target === undefined || !isStored || !maySee(context.access, link.target)) throw invalidParameter(link.name);
  const visible = orNull(allOf(bindVisible(target, { ...context, state })));
  return { kind: 'link', path: link.name, link, target, visible };
}

/** The figures that groups need: those that are answered, and those that conditions and orders compare. */
class Figures {
  readonly #scope: Scope;
  readonly #byName = new Map<string, Figure>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get list(): readonly Figure[] {
    return [...this.#byName.values()];
  }

  /** Returns the index of a figure, which is added unless it is there. */
  add(name: Figure['function'], path: string, isAnswered: boolean): number {
    const figure = this.#bind(name, path, isAnswered);
    const key = `${name} ${figure.name}`;
    if (!this.#byName.has(key)) this.#byName.set(key, figure);
    return [...this.#byName.keys()].indexOf(key);
  }

  at(index: number): Figure {
    const figure = this.list[index];
    if (figure === undefined) throw new Error('no such figure');
    return figure;
  }

  #bind(name: Figure['function'], path: string, isAnswered: boolean): Figure {
    const { attribute, stored, rest } = findAttribute(path.split('.'), this.#scope);
    if (rest.length > 0) throw invalidParameter(rest[0] ?? path);
    const fits = attribute.kind === 'scalar' ? takes[name](attribute.type) : name === 'countDistinct' && !attribute.many;
    if (!fits) throw validationError(`Invalid parameter ${name}: ${path} has no ${name}`);
    const source: Source =
      attribute.kind === 'scalar' ? { kind: 'scalar', path: stored, type: attribute.type } : bindLink(attribute, this.#scope);
    return { function: name, name: stored, source, isAnswered };
  }
}

const isNumber = (type: ScalarType): boolean => scalarTypes[type].stored === 'number';
const isOrdered = (type: ScalarType): boolean =>
  type !== 'password' && ['number', 'date', 'text'].includes(scalarTypes[type].stored);

/** Returns whether functions take values of a type. */
const takes: Readonly<Record<Figure['function'], (type: ScalarType) => boolean>> = {
  countDistinct: (type) => type !== 'password' && scalarTypes[type].stored !== 'json',
  sum: isNumber,
  avg: isNumber,
  min: isOrdered,
  max: isOrdered,
};

/** Binds `having[avg][rating][$gte]=2`: conditions on the number of entries, and on figures. */
function bindHaving(filter: Filter, figures: Figures, context: BindContext): Condition {
  const condition = bindGroups(filter, 'plain', (term, polarity) => {
    if (term.kind === 'comparison') throw invalidParameter(`having[$${term.operator}]`);
    if (!isFunctionName(term.name)) throw invalidParameter(`having[${term.name}]`);
    if (term.name === 'count')
      return bindFigure(term.filter, { path: countPath, name: 'count', figure: null }, context, polarity);
    return bindFunction(term.name, term.filter, figures, context, polarity);
  });
  const text = termsOf(condition).find((term) => term.kind === 'comparison' && comparesText(term.comparator));
  if (text?.kind === 'comparison') throw invalidParameter(`having: $${text.comparator}`);
  return condition;
}

/** Binds the conditions on the figures of a function. */
const bindFunction = (
  name: Figure['function'],
  filter: Filter,
  figures: Figures,
  context: BindContext,
  outer: Polarity,
): Condition =>
  bindGroups(filter, outer, (term, polarity) => {
    if (term.kind === 'comparison') throw invalidParameter(`having[${name}]`);
    // below the name of a component follows that of an attribute
    if (term.filter.kind === 'field')
      return bindFunction(name, { ...term.filter, name: `${term.name}.${term.filter.name}` }, figures, context, polarity);
    const index = figures.add(name, term.name, false);
    return bindFigure(term.filter, { path: figurePath(index), name: term.name, figure: figures.at(index) }, context, polarity);
  });

interface FigurePlace {
  readonly path: string;
  readonly name: string;
  /** Null for the number of entries. */
  readonly figure: Figure | null;
}

/** Binds comparisons with a figure. Those of `min` and `max` have the type of their attribute, others are numbers. */
function bindFigure(filter: Filter, { path, name, figure }: FigurePlace, context: BindContext, polarity: Polarity): Condition {
  const isValue = figure?.function === 'min' || figure?.function === 'max';
  const type = isValue && figure.source.kind === 'scalar' ? figure.source.type : null;
  const { stored } = type === null ? idRule : scalarTypes[type];
  const cast = type === null ? idRule.cast : castOperands(type, context.now ?? currentMoment);
  return bindComparisons(filter, { name, path, stored, cast }, context.limits, polarity);
}

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
    return { kind: 'figure', index: figures.add(first, rest.join('.'), false) };
  throw validationError(`Invalid parameter sort: ${written} is neither a key of the groups nor a function such as avg.rating`);
}

/** Returns the name by which groups are sorted by the field of a key. */
const fieldName = (key: GroupKey): string | null =>
  key.kind === 'link' && key.field !== null ? `${key.name}.${key.field.name}` : null;
