import { GraphQLUnionType } from 'graphql';
import { isRecord } from '../../query/is-record.js';
import type { ContentType, MorphAttribute } from '../../schema/content-type.js';
import { morphName, typeName } from './names.js';
import type { SchemaContext } from './schema-context.js';
import { shownType, shownTypes } from './schema-context.js';

/**
 * What a polymorphic relation may lead to, the attributes directly (graphql.md 3.11): the types that it names, else every
 * component and every content type.
 */
export function morphUnion(type: ContentType, attribute: MorphAttribute, context: SchemaContext): GraphQLUnionType {
  const { targets } = attribute;
  if (targets === null) return unionOf('GenericMorph', () => shownTypes(context), context);
  const named = () => targets.map((uid) => shownType(context, uid)).filter((target) => target !== null);
  return unionOf(morphName(type, attribute), named, context);
}

const unionOf = (name: string, members: () => readonly ContentType[], context: SchemaContext): GraphQLUnionType =>
  context.store.define(name, () => {
    const names = new Map(members().map((type) => [type.uid, typeName(type)]));
    return new GraphQLUnionType({
      name,
      types: () =>
        members()
          .map((type) => context.objects[type.kind === 'component' ? 'component' : 'attributes'](type, context))
          .filter((type) => Object.keys(type.getFields()).length > 0),
      resolveType: (item: unknown) => (isRecord(item) ? names.get(String(item['__type'] ?? item['__component'])) : undefined),
    });
  });
