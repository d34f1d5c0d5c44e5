import { invalidParameter } from '#base/errors.js';
import { idRule, scalarTypes } from '../../schema/scalar-types.js';
import { castExactly } from '../../schema/scalars/numbers.js';
import type { Filter } from '../ast.js';
import { bindComparisons, bindGroups, nameOf, type Polarity } from '../bind-comparisons.js';
import type { BindContext } from '../bind-context.js';
import { comparesText, termsOf } from '../conditions.js';
import { castOperands, currentMoment } from '../moment.js';
import type { Condition } from '../plan.js';
import { countPath, type Figure, figurePath, type ScalarSource } from './aggregation.js';
import type { Figures } from './figures.js';
import { isFunctionName } from './parse-aggregation.js';
import { parsePath } from './parse-key.js';

/**
 * Binds `having[avg][rating][$gte]=2`: conditions on the number of entries, and on figures, which are added. Throws a ValidationError as
 * filters do, and for operators of texts.
 */
export function bindHaving(filter: Filter, figures: Figures, context: BindContext): Condition {
  const condition = bindGroups(filter, 'plain', (term, polarity) => {
    if (term.kind !== 'field') throw invalidParameter(`having[${nameOf(term)}]`);
    if (!isFunctionName(term.name)) throw invalidParameter(`having[${term.name}]`);
    const scope = { figures, context, polarity, prefix: '' };
    if (term.name === 'count') return bindFigure(term.filter, { path: countPath, name: 'count', figure: null }, scope);
    return bindFunction(term.name, term.filter, scope);
  });
  const text = termsOf(condition).find((term) => term.kind === 'comparison' && comparesText(term.comparator));
  if (text?.kind === 'comparison') throw invalidParameter(`having: $${text.comparator}`);
  return condition;
}

interface HavingScope {
  readonly figures: Figures;
  readonly context: BindContext;
  readonly polarity: Polarity;
  /** Leads to the component that attributes are in. */
  readonly prefix: string;
}

/** Binds the conditions on the figures of a function. */
const bindFunction = (name: Figure['function'], filter: Filter, scope: HavingScope): Condition =>
  bindGroups(filter, scope.polarity, (term, polarity) => {
    if (term.kind !== 'field') throw invalidParameter(`having[${name}]`);
    const path = `${scope.prefix}${term.name}`;
    parsePath(path, `having[${name}]`);
    const inner = { ...scope, polarity };
    if (scope.figures.isOfComponent(path)) return bindFunction(name, term.filter, { ...inner, prefix: `${path}.` });
    const { index, figure } = scope.figures.add(name, path, false);
    return bindFigure(term.filter, { path: figurePath(index), name: path, figure }, inner);
  });

interface FigurePlace {
  readonly path: string;
  readonly name: string;
  /** Null for the number of entries. */
  readonly figure: Figure | null;
}

/** Binds comparisons with a figure. Those of `min` and `max` have the type of their attribute, others are numbers. */
function bindFigure(filter: Filter, { path, name, figure }: FigurePlace, { context, polarity }: HavingScope): Condition {
  const type = figure !== null && hasValues(figure) ? figure.source.type : null;
  const { stored } = type === null ? idRule : scalarTypes[type];
  const cast = type === null ? castExactly : castOperands(type, context.now ?? currentMoment);
  return bindComparisons(filter, { name, path, stored, cast }, context.limits, polarity);
}

/** Returns whether a figure is one of the values that it is made of. */
const hasValues = (figure: Figure): figure is Figure & { readonly source: ScalarSource } =>
  (figure.function === 'min' || figure.function === 'max') && figure.source.kind === 'scalar';
