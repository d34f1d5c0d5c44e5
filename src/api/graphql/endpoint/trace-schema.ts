import { defaultFieldResolver } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { GraphqlContext } from '../graphql-context.js';
import { mapSchema, type FieldConfig } from '../types/map-schema.js';

/** Returns a copy of a schema that measures the time of every resolver, including those of extensions; for `tracing: true`. */
export const traceSchema = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, { field: (_typeName, _name, field) => traceField(field) });

function traceField(field: FieldConfig): FieldConfig {
  const { resolve = defaultFieldResolver } = field;
  return {
    ...field,
    resolve: (parent, args: Record<string, unknown>, context: GraphqlContext, info) => {
      const { tracer } = context;
      if (tracer === null) return resolve(parent, args, context, info) as unknown;
      const start = tracer.now();
      const result: unknown = resolve(parent, args, context, info);
      if (!(result instanceof Promise)) {
        tracer.record(info, start);
        return result;
      }
      return result.finally(() => {
        tracer.record(info, start);
      });
    },
  };
}
