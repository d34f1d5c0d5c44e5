import { GraphQLUnionType } from 'graphql';
import { isRecord } from '../../query/is-record.js';
import { typeName } from './names.js';
import type { SchemaContext } from './schema-context.js';
import { shownTypes } from './schema-context.js';

/** What a polymorphic relation may lead to: every component and every content type, its attributes directly (graphql.md 3.11). */
export const morphUnion = (context: SchemaContext): GraphQLUnionType =>
  context.store.define('GenericMorph', (name) => {
    const names = new Map(shownTypes(context).map((type) => [type.uid, typeName(type)]));
    return new GraphQLUnionType({
      name,
      types: () =>
        shownTypes(context)
          .map((type) => context.objects[type.kind === 'component' ? 'component' : 'attributes'](type, context))
          .filter((type) => Object.keys(type.getFields()).length > 0),
      resolveType: (item: unknown) => (isRecord(item) ? names.get(String(item['__type'] ?? item['__component'])) : undefined),
    });
  });
