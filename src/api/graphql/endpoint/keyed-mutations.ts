import type { GraphQLError, GraphQLSchema } from 'graphql';
import { keyError } from '#http/idempotency/read-key.js';
import { Undone } from '#http/idempotency/run-once.js';
import { isRetried } from '#store/send/transaction.js';
import { askedFields, type NamedOperation } from './document-parts.js';
import type { FormatError } from './format-error.js';
import { answerOf, jsonResponse } from './read-parameters.js';

/**
 * Returns whether one of the operations of a request with an Idempotency-Key is a mutation; the key of queries has no effect. Throws a
 * 400 for a batch, and for a mutation that is not generated or belongs to log-ins or roles.
 */
export function needsTransaction(operations: readonly (NamedOperation | null)[], schema: GraphQLSchema): boolean {
  const mutations = operations
    .filter((candidate) => candidate !== null)
    .filter(({ operation }) => operation.operation === 'mutation');
  if (mutations.length === 0) return false;
  if (operations.length > 1) throw keyError(400, 'A batch with a mutation does not support the header Idempotency-Key');
  const refused = mutations
    .flatMap((mutation) => askedFields(mutation, schema))
    .find(({ name, field }) => !takesKey(field?.extensions, name));
  if (refused !== undefined) throw keyError(400, `The mutation ${refused.name} does not support the header Idempotency-Key`);
  return true;
}

/** Returns whether a field accepts keys. An unknown one is refused later. */
const takesKey = (extensions: Readonly<Record<string, unknown>> | undefined, name: string): boolean =>
  extensions === undefined || name === '__typename' || (extensions['takesKey'] === true && extensions['custom'] !== true);

/** Returns what ends the transaction of an operation with errors: an error after which it is retried, or its answer. */
export function undoing(errors: readonly GraphQLError[], format: FormatError): unknown {
  const causes = errors.map(({ originalError }): unknown => originalError);
  return (
    causes.find(isRetried) ?? new Undone(answerOf(jsonResponse(200, { errors: [...errors.map(format), undone], data: null })))
  );
}

const undone = {
  message: 'Nothing was written: with an Idempotency-Key, an error undoes all mutations of the request',
  extensions: { code: 'UNDONE' },
};
