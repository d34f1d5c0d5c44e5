import type { FieldNode, GraphQLFieldResolver } from 'graphql';
import { forbiddenError } from '../../errors.js';
import { maySee } from '../../query/access.js';
import type { ComponentAttribute, ContentType, LinkAttribute, MorphAttribute, ZoneAttribute } from '../../schema/content-type.js';
import { entityName } from '../schema/names.js';
import { childKeyAt } from './child-key.js';
import type { GraphqlContext } from './graphql-context.js';
import type { LoadedList, LoadedOne, Row } from './loaded.js';

type Resolver = GraphQLFieldResolver<Row, GraphqlContext>;

/** Reads related entries that the root field has loaded. Throws a ForbiddenError unless the caller may find the target type. */
export function linkResolver(link: LinkAttribute, owner: ContentType): Resolver {
  const entity = entityAround(owner);
  return (row, _args, { access, failures }, { path, fieldNodes }): LoadedOne | LoadedList => {
    if (!maySee(access, link.target)) throw forbiddenError('Forbidden access');
    throwFailure(failures, fieldNodes);
    const loaded = row[childKeyAt(link.name, entity, path)];
    return link.many ? listOf(loaded) : { value: (loaded ?? null) as Row | null }; // loaded by the plan made for this field
  };
}

const entityAround = (owner: ContentType): string | null => (owner.kind === 'component' ? null : entityName(owner));

const listOf = (loaded: unknown): LoadedList => ({
  nodes: Array.isArray(loaded) ? loaded : [],
  total: null,
  start: 0,
  limit: null,
});

export const componentResolver = (attribute: ComponentAttribute, owner: ContentType): Resolver =>
  childResolver(attribute.name, owner, attribute.repeatable ? [] : null);

/** A zone without components holds the reason instead (graphql.md 1.5). */
export function zoneResolver({ name, components }: ZoneAttribute, owner: ContentType): Resolver {
  if (components.length > 0) return childResolver(name, owner, []);
  return () => [{ code: 'dynamiczone.empty', message: `The dynamic zone ${name} has no components` }];
}

export const morphResolver = (attribute: MorphAttribute, owner: ContentType): Resolver =>
  childResolver(attribute.name, owner, attribute.many ? [] : null);

function childResolver(name: string, owner: ContentType, empty: null | readonly never[]): Resolver {
  const entity = entityAround(owner);
  return (row, _args, { failures }, { path, fieldNodes }) => {
    throwFailure(failures, fieldNodes);
    return row[childKeyAt(name, entity, path)] ?? empty;
  };
}

/** What was wrong with the field's arguments when the root field planned it. */
function throwFailure(failures: GraphqlContext['failures'], [node]: readonly FieldNode[]): void {
  const failure = failures.size === 0 || node === undefined ? undefined : failures.get(node);
  if (failure !== undefined) throw failure;
}
