import type { ContentType, ScalarAttribute } from '../schema/content-type.js';
import { scalarTypes } from '../schema/scalar-types.js';
import { readable } from './access.js';
import type { BindContext } from './bind-context.js';
import { checkSearch, isNumeric } from './bind-search.js';

/**
 * Returns the attributes in which something outside of the database may search in its place: the texts that the caller may read. Null
 * if the database must search, because the text is a number. Throws a ValidationError for a text that no search takes.
 */
export function outsideSearch(text: string, type: ContentType, context: BindContext): readonly ScalarAttribute[] | null {
  checkSearch(text, context);
  if (isNumeric(text)) return null;
  return textAttributes(type).filter(({ name }) => readable(type, name, context.access) !== null);
}

/** Returns the texts of the entries of a type that may be known outside of the database: those that are searched and not private. */
export const textAttributes = (type: ContentType): readonly ScalarAttribute[] =>
  [...type.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' &&
    attribute.searchable &&
    !attribute.private &&
    !(type.localized && attribute.name === 'locale') &&
    scalarTypes[attribute.type].search === 'text'
      ? [attribute]
      : [],
  );
