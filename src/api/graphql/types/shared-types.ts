import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { GraphQLArgumentConfig } from 'graphql';
import type { Status } from '#content/meet-precondition.js';
import type { Query } from '#model/query/ast.js';
import type { ListResult } from '../results.js';
import { pageOfList } from '../results.js';

/** The item of a dynamic zone that has no components. */
export const errorType = new GraphQLObjectType({
  name: 'Error',
  fields: { code: { type: new GraphQLNonNull(GraphQLString) }, message: { type: GraphQLString } },
});

const count = { type: new GraphQLNonNull(GraphQLInt) };

const paginationType = new GraphQLObjectType({
  name: 'Pagination',
  fields: { total: count, page: count, pageSize: count, pageCount: count },
});

/** `meta` of a list. The total is counted only if it is selected. */
export const collectionMetaType = new GraphQLObjectType<ListResult>({
  name: 'ResponseCollectionMeta',
  fields: { pagination: { type: new GraphQLNonNull(paginationType), resolve: pageOfList } },
});

/** The argument `pagination`: a page or an offset. */
export const paginationArg = new GraphQLInputObjectType({
  name: 'PaginationArg',
  fields: {
    page: { type: GraphQLInt },
    pageSize: { type: GraphQLInt },
    start: { type: GraphQLInt },
    limit: { type: GraphQLInt },
  },
});

const states: Readonly<Record<'LIVE' | 'PREVIEW', { readonly value: Query['publicationState'] }>> = {
  LIVE: { value: 'live' },
  PREVIEW: { value: 'preview' },
};

export const publicationState = new GraphQLEnumType({ name: 'PublicationState', values: states });

/** The arguments of all lists in addition to filters. */
export const listArguments: Readonly<Record<'pagination' | 'sort', GraphQLArgumentConfig>> = {
  pagination: { type: paginationArg, defaultValue: {} },
  sort: { type: new GraphQLList(GraphQLString), defaultValue: [] },
};

const statuses: Readonly<Record<'DRAFT' | 'PUBLISHED', { readonly value: Status }>> = {
  DRAFT: { value: 'draft' },
  PUBLISHED: { value: 'published' },
};

/** The argument `status` of writes: which one of an entry and the draft beside it they are for. The name of the type is that of Strapi 5. */
export const statusArgument: GraphQLArgumentConfig = {
  type: new GraphQLEnumType({ name: 'PublicationStatus', values: statuses }),
};

export const publicationStateArgument: GraphQLArgumentConfig = { type: publicationState, defaultValue: 'live' };
