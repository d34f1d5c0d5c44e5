import { validationError } from '#base/errors.js';
import { refusedBy } from '#base/limits/exceeded.js';
import type { ContentType, ScalarAttribute } from '../schema/content-type.js';
import { scalarTypes, wordedAttributes } from '../schema/scalar-types.js';
import { type Access, readable } from './access.js';
import type { FoundEntries, Query } from './ast.js';
import type { BindContext } from './bind-context.js';
import { anyOf, type Comparison, never } from './conditions.js';
import type { Condition, TrigramPlace } from './plan.js';

/**
 * Binds `_q`. It is a search for words if the type has a full-text index and the caller may read all attributes in it. Otherwise
 * it searches in the texts that the caller may read, and in numbers if it is one. Throws a ValidationError for text that is too
 * long or contains NUL.
 */
export function bindSearch(text: string, type: ContentType, context: BindContext): Condition {
  const { access, locales } = context;
  checkSearch(text, context);
  const isNumber = isNumeric(text);
  const alternatives: Condition[] = isNumber ? [searchComparison(text, { path: '_id', stored: 'number' })] : [];
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || !attribute.searchable || readable(type, attribute.name, access) === null) continue;
    const { search, stored } = scalarTypes[attribute.type];
    if (type.localized && attribute.name === 'locale') alternatives.push(localeComparison(text, locales));
    else if (search === 'text' || (search === 'number' && isNumber))
      alternatives.push(searchComparison(text, { path: attribute.name, stored, ...trigramsOf(attribute, type) }));
  }
  const otherwise = anyOf(alternatives);
  return searchesWords(type, access) ? { kind: 'search', collection: type.collection, text, otherwise } : otherwise;
}

/** Throws a ValidationError for a text that is too long or contains NUL. */
export function checkSearch(text: string, { limits }: Pick<BindContext, 'limits'>): void {
  if (text.length > limits.textLength) throw refusedBy('api.limits.textLength', 'Invalid parameter _q');
  if (text.includes('\0')) throw validationError('Invalid parameter _q');
}

/** Binds the search of a list, if it has one: `_q`, or what something outside of the database has found for it. */
export function bindSearchOf(
  { search, foundEntries }: Pick<Query, 'search' | 'foundEntries'>,
  type: ContentType,
  context: BindContext,
): readonly Condition[] {
  if (search === null) return [];
  return [foundEntries === undefined ? bindSearch(search, type, context) : bindFound(foundEntries)];
}

const bindFound = ({ ids }: FoundEntries): Condition =>
  ids.length === 0 ? never : { kind: 'comparison', comparator: 'in', path: '_id', stored: 'number', operand: ids, denied: false };

/** Returns whether a search is for a number, which ids and numeric attributes may contain. */
export const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/**
 * Returns the place of an attribute's trigrams, if it has some. Attributes of components have none, because components have no
 * collection.
 */
export const trigramsOf = (
  { name, search }: ScalarAttribute,
  { collection }: ContentType,
): { readonly trigrams?: TrigramPlace } =>
  search?.kind === 'trigram' && collection !== '' ? { trigrams: { collection, attribute: name } } : {};

const searchComparison = (operand: string, subject: Pick<Comparison, 'path' | 'stored' | 'trigrams'>): Condition => ({
  kind: 'comparison',
  comparator: 'containsi',
  operand,
  denied: false,
  ...subject,
});

/** Returns the condition on locales whose codes contain the text. It lists the codes, because locales have no trigrams. */
function localeComparison(text: string, locales: readonly string[]): Condition {
  const operand = locales.filter((code) => code.toLowerCase().includes(text.toLowerCase()));
  if (operand.length === 0) return never;
  return { kind: 'comparison', comparator: 'in', operand, denied: false, path: 'locale', stored: 'text' };
}

/**
 * Returns whether `_q` uses a full-text index. A match reveals the value of an attribute, so the caller must be allowed to read
 * all of them.
 */
export function searchesWords(type: ContentType, access: Access): boolean {
  const attributes = wordedAttributes(type);
  return attributes.length > 0 && attributes.every(({ name }) => readable(type, name, access) !== null);
}
