import type { FormattedExecutionResult } from 'graphql';
import { ApiError } from '#base/errors.js';
import { syncService } from '../../sync/service.js';
import type { LiveClient } from './client.js';
import type { LiveMessage } from './live-answer.js';
import { liveQueries } from './live-queries.js';
import { openSubscription } from './open-subscription.js';
import type { LiveEndpoint, LiveOperation, Refusal } from './operation.js';

/** What the client of an operation that lasts receives. */
export type LiveResult = FormattedExecutionResult | LiveMessage;

/** Results as the client takes them. `return` is called when it takes no more. */
export interface Results extends AsyncIterableIterator<LiveResult> {
  return(): Promise<IteratorResult<LiveResult>>;
}

/** Begins an operation that lasts. Returns its results, or the errors of a client. Throws an ApiError that ends the connection. */
export async function openOperation(
  operation: LiveOperation,
  client: LiveClient,
  endpoint: LiveEndpoint,
): Promise<Results | Refusal> {
  if (operation.operation.operation !== 'subscription') return liveQueries(client.call.running).open(operation, client, endpoint);
  try {
    return await openSubscription(operation, client, endpoint);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 401 && error.status !== 429)
      return endpoint.format([error]);
    throw error;
  }
}

/** Counts a connection until it ends. Throws a 429 or a 503 if too many clients wait for changes. */
export function countConnection({ call: { running }, sender, ends }: LiveClient): () => void {
  const { connections } = syncService(running);
  connections.enter(sender);
  let isCounted = true;
  const leave = (): void => {
    if (isCounted) connections.leave(sender);
    isCounted = false;
  };
  ends.addEventListener('abort', leave);
  if (ends.aborted) leave();
  return leave;
}
