import { memoize } from '#base/caches.js';
import { validationError } from '#base/errors.js';
import { refusedBy } from '#base/limits/exceeded.js';
import type { Values } from '#base/values.js';
import { comparing, type Query } from '#model/query/ast.js';
import type { Limits } from '#model/query/bind-context.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { ContentType } from '#model/schema/content-type.js';
import { ParsedQueries } from '../rest/read-query.js';
import type { AgentCall } from './agent-call.js';

/** The arguments that may have other values in them. */
const nested = ['filters', 'sort', 'populate', 'having', 'aggregate'];

/** Throws a ValidationError for arguments that have more levels than query strings may have. */
export function refuseDeep(input: Values, { queryDepth }: { readonly queryDepth: number }): void {
  for (const name of nested)
    if (depthOf(input[name], queryDepth) > queryDepth)
      throw refusedBy('api.limits.queryDepth', `Argument ${name} has more than ${String(queryDepth)} levels`);
}

/** Returns the number of levels of a value; one more than `most` if there are more. */
function depthOf(value: unknown, most: number): number {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= most; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return depth;
  }
  return most + 1;
}

/** Returns the publication state that a status stands for. Drafts are found among all entries. */
const stateOf = (status: unknown): 'live' | 'preview' => (status === 'published' ? 'live' : 'preview');

/** Returns the parameters of REST of a tool that reads entries: published ones unless its arguments say otherwise. */
export function parametersOf({ status = 'published', ...input }: Values, type: ContentType): Values {
  if (status === 'draft' && !type.draftAndPublish) throw validationError(`${type.singularName} has no drafts`);
  return { ...input, publicationState: stateOf(status) };
}

/** The queries of a service, because agents repeat calls as apps repeat query strings. */
const queriesOf = memoize<Limits, ParsedQueries>(() => new ParsedQueries());

/** Returns the query of entries, the same object for equal arguments but the id. Throws a ValidationError that names the parameter. */
export function readQuery(given: Values, type: ContentType, { running }: AgentCall): Query {
  const { limits } = running.config.api;
  const input: Values = { ...given, id: undefined };
  const parameters = parametersOf(input, type);
  return queriesOf(limits).read(JSON.stringify(input), () => {
    refuseDeep(input, limits);
    const query = parseQuery(parameters, limits);
    const filter = bothFilters(query.filter, input['status'] === 'draft' ? isDraft : null);
    return { ...query, pagination: forwards(query.pagination), filter, withLocales: false, withVersions: true };
  });
}

/** Nobody pages backwards, so that whether there are entries before a page is not read. */
const forwards = (pagination: Query['pagination']): Query['pagination'] =>
  pagination?.kind === 'cursor' ? { ...pagination, looksBack: false } : pagination;

const isDraft = comparing('publishedAt', 'null', true);

/** Returns a filter that demands both of two, which may be absent. */
export function bothFilters(one: Query['filter'], other: Query['filter']): Query['filter'] {
  if (one === null || other === null) return one ?? other;
  return { kind: 'and', filters: [one, other] };
}
