import { execute, GraphQLError, locatedError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { ApiError } from '#base/errors.js';
import { nextTurn } from '#base/limits/queue.js';
import { bytesOf } from '#base/values.js';
import { findCompiled, type RootField } from './compile-operation.js';
import type { Progress } from './compile-selection.js';
import { type GraphqlContext, noteMore } from '../graphql-context.js';

/**
 * Executes an operation as graphql-js does. graphql-js itself runs it if introspection or a field of an extension is selected, or
 * resolvers are timed. Root fields run in parallel, those of a mutation one after the other. Compiled selections write the loaded
 * values.
 */
export async function executeOperation(args: ExecutionArgs): Promise<ExecutionResult> {
  const context = args.contextValue as GraphqlContext; // all contexts are of this type
  const { budget } = context.content.bind;
  try {
    if (budget.exceeded === null) {
      const result = await executeWithin(args, context);
      if (budget.exceeded === null) return result;
    }
  } catch (error) {
    if (budget.exceeded === null || error !== budget.exceeded) throw error;
  }
  const errors = [refusal(budget.exceeded)];
  // a result without data means that nothing was executed, which is answered with 400
  return budget.hasChanged ? { errors, data: null } : { errors };
}

/** Returns the only error of a request that exceeds its budget. Nothing that was read is sent. */
const refusal = ({ name, message, details }: ApiError): GraphQLError =>
  new GraphQLError(message, { extensions: { error: { name, message, details } } });

async function executeWithin(args: ExecutionArgs, context: GraphqlContext): Promise<ExecutionResult> {
  const compiled = context.tracer === null ? findCompiled(args, context) : null;
  if (compiled === null) {
    noteMore(context);
    return executeByLibrary(args, context);
  }
  const { fields, serial } = compiled;
  const { budget } = context.content.bind;
  const progress: Progress = { path: [], errors: [], context, budget, unspent: 0 };
  const data: Record<string, unknown> = {};
  const settled: Promise<Settled>[] = [];
  for (const field of fields) {
    data[field.key] = null; // keeps the order of the query
    const running = settle(field, context, args.rootValue);
    settled.push(running);
    if (serial) await running;
  }
  const outcomes = await Promise.all(settled);
  const isLong = budget.spent('entriesRead') > 1_000;
  let whole = true;
  for (const [index, outcome] of outcomes.entries()) {
    if (isLong) await nextTurn();
    whole = whole && writeField(fields[index] as RootField, outcome, data, progress); // both lists have the same length
  }
  budget.spend('answerBytes', progress.unspent);
  return progress.errors.length === 0 ? { data } : { errors: progress.errors, data: whole ? data : null };
}

async function executeByLibrary(args: ExecutionArgs, { content }: GraphqlContext): Promise<ExecutionResult> {
  const result = await execute({ ...args, options: { maxCoercionErrors: errorsToShow(args.variableValues) } });
  content.bind.budget.spend('answerBytes', bytesOf(result.data));
  return result;
}

/** Coercion errors quote the whole variable, so only the first one is reported if variables are large. */
const errorsToShow = (variables: ExecutionArgs['variableValues']): number =>
  JSON.stringify(variables ?? {}).length > 10_000 ? 1 : 50;

type Settled = { readonly value: unknown } | { readonly thrown: unknown };

async function settle({ resolve }: RootField, context: GraphqlContext, root: unknown): Promise<Settled> {
  try {
    return { value: await resolve(context, root) };
  } catch (thrown) {
    return { thrown };
  }
}

/** Writes the value of a root field. Returns false if an error makes the whole data null. */
function writeField(
  { key, nullable, nodes, complete }: RootField,
  outcome: Settled,
  data: Record<string, unknown>,
  progress: Progress,
): boolean {
  progress.path.length = 0;
  progress.path.push(key);
  try {
    if ('thrown' in outcome) throw outcome.thrown;
    data[key] = complete(outcome.value, progress);
    return true;
  } catch (thrown) {
    progress.errors.push(locatedError(thrown, nodes, [key]));
    return nullable;
  }
}
