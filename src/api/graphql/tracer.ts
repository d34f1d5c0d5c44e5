import type { GraphQLResolveInfo } from 'graphql';

/**
 * Measures the times of one operation, in the form of the tracing extension, version 1. Offsets and durations are in nanoseconds.
 */
export interface Tracer {
  readonly record: (info: GraphQLResolveInfo, startOffset: number) => void;
  /** Nanoseconds since the operation began. */
  readonly now: () => number;
  readonly finish: () => object;
}

export function createTracer(): Tracer {
  const startTime = new Date();
  const begin = process.hrtime.bigint();
  const now = (): number => Number(process.hrtime.bigint() - begin);
  const resolvers: object[] = [];
  return {
    now,
    record: ({ path, parentType, fieldName, returnType }, startOffset) => {
      resolvers.push({
        path: pathOf(path),
        parentType: parentType.name,
        fieldName,
        returnType: String(returnType),
        startOffset,
        duration: now() - startOffset,
      });
    },
    finish: () => ({
      version: 1,
      startTime: startTime.toISOString(),
      endTime: new Date().toISOString(),
      duration: now(),
      execution: { resolvers },
    }),
  };
}

function pathOf(path: GraphQLResolveInfo['path'] | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let step = path; step !== undefined; step = step.prev) keys.unshift(step.key);
  return keys;
}
