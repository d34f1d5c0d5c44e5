import type { FieldNode } from 'graphql';
import type { ApiError } from '#base/errors.js';
import type { PopulateField, Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { Operation } from './collect-fields.js';

/** The context in which a selection is read. */
export interface ReadingContext {
  readonly operation: Operation;
  readonly bind: BindContext;
  /** Counts a type on which something is selected. Throws a ValidationError if there are too many. */
  readonly countType: () => void;
  /** Results of fields that are reached by several fragments, by their places. */
  readonly fieldResults: Map<FieldNode, Map<string, readonly PopulateField[]>>;
  /** Takes the errors of nested fields with invalid arguments. Only these fields fail, when they are resolved. */
  readonly failures: Map<FieldNode, ApiError>;
  /** Arguments that an extension has passed to a field, instead of those in the query. */
  readonly argumentOverrides?: ReadonlyMap<FieldNode, Readonly<Record<string, unknown>>>;
}

/** The selection on entries or components of one type. */
export type TypeSelection = Pick<Query, 'fields' | 'includePrivate' | 'populate'>;
