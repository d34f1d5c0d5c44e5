import { invalidParameter, validationError } from '#base/errors.js';
import type { LinkAttribute, ScalarAttribute, ScalarType } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import type { Figure, Source } from './aggregation.js';
import { bindLink, findAttribute, type GroupScope, isShort } from './bind-source.js';

/** The figures that groups need: those that are answered, and those that conditions and orders compare. */
export class Figures {
  readonly #scope: GroupScope;
  readonly #byName = new Map<string, Figure>();

  constructor(scope: GroupScope) {
    this.#scope = scope;
  }

  get list(): readonly Figure[] {
    return [...this.#byName.values()];
  }

  /**
   * Returns a figure and its index; it is added unless it is there. Throws a ValidationError for an attribute that does not exist, that
   * the caller may not read, or whose values the function does not take.
   */
  add(name: Figure['function'], path: string, isAnswered: boolean): { readonly index: number; readonly figure: Figure } {
    const bound = this.#bind(name, path, isAnswered);
    const key = `${name} ${bound.name}`;
    const figure = this.#byName.get(key) ?? bound;
    this.#byName.set(key, figure);
    return { figure, index: this.list.indexOf(figure) };
  }

  /** Returns whether a path leads to a component, so that the name of an attribute follows. */
  isOfComponent(path: string): boolean {
    return findAttribute(path.split('.'), this.#scope).attribute.kind === 'component';
  }

  #bind(name: Figure['function'], path: string, isAnswered: boolean): Figure {
    const { attribute, stored, rest } = findAttribute(path.split('.'), this.#scope);
    if (attribute.kind === 'component' || rest.length > 0) throw invalidParameter(rest[0] ?? attribute.name);
    if (!takesValues(name, attribute)) throw validationError(`Invalid parameter ${name}: ${path} has no ${name}`);
    const source: Source =
      attribute.kind === 'scalar' ? { kind: 'scalar', path: stored, type: attribute.type } : bindLink(attribute, this.#scope);
    return { function: name, name: stored, source, isAnswered };
  }
}

const isNumber = (type: ScalarType): boolean => scalarTypes[type].stored === 'number';
const isOrdered = (type: ScalarType): boolean => isShort(type) && scalarTypes[type].stored !== 'boolean';

/** Returns whether a function takes the values of an attribute. */
export function takesValues(
  name: Figure['function'],
  attribute: Pick<ScalarAttribute, 'kind' | 'type'> | Pick<LinkAttribute, 'kind' | 'many'>,
): boolean {
  return attribute.kind === 'scalar' ? takes[name](attribute.type) : name === 'countDistinct' && !attribute.many;
}

/** Returns whether functions take values of a type. */
const takes: Readonly<Record<Figure['function'], (type: ScalarType) => boolean>> = {
  countDistinct: isShort,
  sum: isNumber,
  avg: isNumber,
  min: isOrdered,
  max: isOrdered,
};
