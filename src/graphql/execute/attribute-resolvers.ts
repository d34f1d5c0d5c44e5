import type { FieldNode, GraphQLFieldResolver } from 'graphql';
import { missingActions } from '../../errors.js';
import { maySee } from '../../query/access.js';
import { readable } from '../../query/readable.js';
import {
  actionOf,
  type ComponentAttribute,
  type ContentType,
  type LinkAttribute,
  type MorphAttribute,
  type ZoneAttribute,
} from '../../schema/content-type.js';
import { entityName } from '../schema/names.js';
import { childKeyAt } from './child-key.js';
import type { GraphqlContext } from './graphql-context.js';
import type { Structured } from '../query/read-selection.js';
import { isLoadedByExtension, loadOnDemand } from './load-on-demand.js';
import type { ListResult, EntryResult, Row } from './results.js';

type Resolver = GraphQLFieldResolver<Row, GraphqlContext, Record<string, unknown>>;

/** Reads related entries that the root field has loaded. Throws a ForbiddenError unless the caller may find the target type. */
export function linkResolver(link: LinkAttribute, owner: ContentType): Resolver {
  const read = childReader(link, owner);
  return (row, args, context, info) => {
    if (!maySee(context.access, link.target)) throw missingActions([actionOf(link.target, 'find')], 'Forbidden access');
    const loaded = read(row, args, context, info);
    return loaded instanceof Promise ? loaded.then((late) => wrapLink(link, late)) : wrapLink(link, loaded);
  };
}

const wrapLink = (link: LinkAttribute, loaded: unknown): ListResult | EntryResult =>
  link.many ? listOf(loaded) : { value: (loaded ?? null) as Row | null }; // loaded by the plan made for this field

const listOf = (loaded: unknown): ListResult => ({
  nodes: Array.isArray(loaded) ? loaded : [],
  total: null,
  start: 0,
  limit: null,
});

export const componentResolver = (attribute: ComponentAttribute, owner: ContentType): Resolver =>
  childResolver(attribute, owner, attribute.repeatable ? [] : null);

/** A zone without components holds the reason instead (graphql.md 1.5). */
export function zoneResolver(zone: ZoneAttribute, owner: ContentType): Resolver {
  if (zone.components.length > 0) return childResolver(zone, owner, []);
  return () => [{ code: 'dynamiczone.empty', message: `The dynamic zone ${zone.name} has no components` }];
}

export const morphResolver = (attribute: MorphAttribute, owner: ContentType): Resolver =>
  childResolver(attribute, owner, attribute.many ? [] : null);

function childResolver(attribute: Structured, owner: ContentType, empty: null | readonly never[]): Resolver {
  const read = childReader(attribute, owner);
  return (row, args, context, info) => {
    const loaded = read(row, args, context, info);
    return loaded instanceof Promise ? loaded.then((late: unknown) => late ?? empty) : (loaded ?? empty);
  };
}

/**
 * What was loaded for a field. Entries that code of an extension gave are not planned: what the field wants of them is read now,
 * as a promise. Throws what was wrong with the field's arguments.
 */
function childReader(attribute: Structured, owner: ContentType): Resolver {
  const entity = owner.kind === 'component' ? null : entityName(owner);
  return (row, args, context, info) => {
    throwFailure(context.failures, info.fieldNodes);
    const key = childKeyAt(attribute.name, entity, info.path);
    const loaded = row[key];
    if (loaded !== undefined && !isLoadedByExtension(loaded)) return loaded;
    if (entity === null || (loaded === undefined && key in row)) return loaded;
    if (readable(owner, attribute.name, context.access) === null) return undefined;
    const id = Number(row['id']);
    return Number.isSafeInteger(id) ? loadOnDemand(id, { owner, attribute, args, context, info }) : undefined;
  };
}

/** What was wrong with the field's arguments when the root field planned it. */
function throwFailure(failures: GraphqlContext['failures'], [node]: readonly FieldNode[]): void {
  const failure = failures.size === 0 || node === undefined ? undefined : failures.get(node);
  if (failure !== undefined) throw failure;
}
