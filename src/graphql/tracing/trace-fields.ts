import { defaultFieldResolver } from 'graphql';
import type { GraphqlContext } from '../execute/graphql-context.js';
import type { Decorate, Fields } from '../schema/schema-context.js';

/** Puts a stop watch around every resolver; only schemas of servers with `tracing: true` are made with it. */
export const traceFields: Decorate = (_typeName, fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, traceField(field)]));

function traceField(field: Fields[string]): Fields[string] {
  const { resolve = defaultFieldResolver } = field;
  return {
    ...field,
    extensions: { ...field.extensions, custom: true },
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
