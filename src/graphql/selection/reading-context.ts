import type { FieldNode } from 'graphql';
import type { ApiError } from '../../errors.js';
import type { Access } from '../../query/access.js';
import type { PopulateField, Query } from '../../query/ast.js';
import type { ContentType } from '../../schema/content-type.js';
import type { Operation } from './collect-fields.js';
import type { ArgumentContext } from './parse-list-arguments.js';

/** The context in which a selection is read. */
export interface ReadingContext extends ArgumentContext {
  readonly operation: Operation;
  readonly access: Access;
  /** Throws an ApiError if a nested query uses names that the type does not have or the caller may not see. */
  readonly check: (query: Query, type: ContentType) => void;
  /** Counts a type on which something is selected. Throws a ValidationError if there are too many. */
  readonly countType: () => void;
  /** Results of fields that are reached by several fragments, by their places. */
  readonly known: Map<FieldNode, Map<string, readonly PopulateField[]>>;
  /** Takes the errors of nested fields with invalid arguments. Only these fields fail, when they are resolved. */
  readonly failures: Map<FieldNode, ApiError>;
  /** Arguments that an extension has passed to a field, instead of those in the query. */
  readonly given?: ReadonlyMap<FieldNode, Readonly<Record<string, unknown>>>;
}

/** The selection on entries or components of one type. */
export type Selected = Pick<Query, 'fields' | 'includePrivate' | 'populate'>;
