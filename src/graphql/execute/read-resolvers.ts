import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { findMany } from '../../content/find-many.js';
import { findOne, findSingle } from '../../content/find-one.js';
import type { Query } from '../../query/ast.js';
import type { ContentType } from '../../schema/content-type.js';
import { decodeId } from '../../schema/names.js';
import { localeOf, readListQuery, readOneQuery } from '../query/read-root.js';
import type { GraphqlContext } from './graphql-context.js';
import { createRowShaper, entryResult, noEntry, type EntryResult, type ListResult } from './results.js';

type Args = Readonly<Record<string, unknown>>;
type Resolver = GraphQLFieldResolver<unknown, GraphqlContext, Args, Promise<EntryResult | ListResult>>;

/** `articles`: one command for the page, one for the total if it is selected, at most one for each level that is populated. */
export const findResolver =
  (type: ContentType): Resolver =>
  async (_root, args, context, info) => {
    const query = readListQuery(type, args, context, info);
    const { entries, total } = await findMany(type, query, context.content);
    const { start, limit } = query.pagination;
    return { nodes: entries.map(createRowShaper(context)), total, start, limit: limit === -1 ? null : limit };
  };

/** `article`: the id alone decides, and drafts are shown (graphql.md 3.5, 3.6). */
export const findOneResolver =
  (type: ContentType): Resolver =>
  (_root, args, context, info) =>
    readEntry(type, args['id'], context, info);

/** `homepage`: the locale is the default one unless another one is asked for. */
export const findSingleResolver =
  (type: ContentType): Resolver =>
  async (_root, args, context, info) => {
    const locale = localeOf(args);
    const query: Query = {
      ...readOneQuery(type, context, info),
      publicationState: args['publicationState'] === 'live' ? 'live' : 'preview',
      locale: locale === 'all' ? null : locale,
    };
    return entryResult(await findSingle(type, query, context.content), context);
  };

/** Reads an entry as far as the field selects it; nothing for what is no id, or for one that no entry has. */
export async function readEntry(
  type: ContentType,
  id: unknown,
  context: GraphqlContext,
  info: GraphQLResolveInfo,
): Promise<EntryResult> {
  const query = readOneQuery(type, context, info);
  const number = entryId(id);
  return number === null ? noEntry : entryResult(await findOne(type, number, query, context.content), context);
}

/** An id argument as the number that it stands for; null where it is none. */
export const entryId = (id: unknown): number | null => decodeId(id) || null;
