import { invalidParameter, validationError } from '../errors.js';
import { readEntry } from '../mongo/read/read-entry.js';
import type { Loaded } from '../mongo/form/loaded.js';
import { readable } from '../query/access.js';
import { comparing, type Query } from '../query/ast.js';
import { bindFilter, bindRule } from '../query/bind-filter.js';
import { bindPublication } from '../query/bind-nested.js';
import { bindEntrySelection, bindLocale } from '../query/bind-plan.js';
import { allOf } from '../query/conditions.js';
import type { Attribute, ContentType } from '../schema/content-type.js';
import { surroundingReads, type ContentContext } from './content-context.js';
import { planOf } from './find-one.js';

/** A unique attribute by its name, and the text of the value that is looked for. */
interface UniqueValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the entry with a value of a unique attribute; null if there is none. Drafts are returned too, unless the query asks for
 * published entries. Of a localized type it is the entry of one locale. Throws the same ValidationError for attributes that do not
 * exist, are not unique, or may not be read.
 */
export async function findBy(
  type: ContentType,
  { name, value }: UniqueValue,
  query: Query,
  context: ContentContext,
): Promise<Loaded | null> {
  const { bind, store } = context;
  if (!isUnique(readable(type, name, bind.access))) throw invalidParameter(name);
  const { locale, publicationState } = query;
  if (type.localized && locale !== null && (typeof locale !== 'string' || locale === 'all'))
    throw validationError('Invalid parameter locale: expected one locale');
  const selection = bindEntrySelection(query, type, bind);
  const filter = comparing(name, 'eq', value);
  const state = publicationState ?? 'preview';
  const condition = allOf([
    bindFilter(filter, type, bind),
    ...bindRule(type, bind),
    ...bindLocale(locale, type, bind),
    ...bindPublication(type, state),
  ]);
  const surrounded = surroundingReads(type, context);
  if (surrounded === null) return readEntry(condition, selection, store.database);
  const asked = { ...query, filter, publicationState: state };
  return surrounded.one({ query: asked, plan: planOf(condition, selection), id: null }, context);
}

/** Returns whether no two entries of a type, or of one locale, have the same value of an attribute. */
export const isUnique = (attribute: Attribute | null): boolean =>
  attribute?.kind === 'scalar' && attribute.unique && attribute.type !== 'password';
