import type { GraphQLNamedType } from 'graphql';
import type { ContentType } from '#model/schema/content-type.js';
import { dateScalar, dateTimeScalar, timeScalar, localeCodeScalar, jsonScalar, longScalar, uploadScalar } from '../scalars.js';
import { filtersType, scalarFilters } from './filters-type.js';
import { inputType } from './input-type.js';
import type { SchemaContext } from './schema-context.js';
import { collectionMetaType, errorType, paginationArg, publicationState } from './shared-types.js';

/** Returns all types that are generated for a content type or component, even if no field refers to them. */
export function allTypes(type: ContentType, context: SchemaContext): GraphQLNamedType[] {
  const { objects } = context;
  const input = inputType(type, context);
  const inputs = [filtersType(type, context), ...(input === null ? [] : [input])];
  if (type.kind === 'component') return [objects.component(type, context), ...inputs];
  const { attributes, entity, response, collection, relationCollection } = objects;
  return [...[attributes, entity, response, collection, relationCollection].map((make) => make(type, context)), ...inputs];
}

/** Types that belong to no content type. */
export const commonTypes: readonly GraphQLNamedType[] = [
  ...[jsonScalar, dateTimeScalar, dateScalar, timeScalar, longScalar, localeCodeScalar, uploadScalar],
  ...[paginationArg, publicationState, collectionMetaType, errorType],
  ...scalarFilters,
];
