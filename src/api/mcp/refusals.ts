import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { countExceeded } from '#base/limits/exceeded.js';
import { envelopeError, isBug } from '#http/error-response.js';
import type { AgentCall } from './agent-call.js';

/** Reports an error as errors of REST are. Returns what the client reads of it. */
export function reportRefusal(
  thrown: unknown,
  { running, caller, request }: AgentCall,
): ReturnType<typeof envelopeError>['error'] {
  running.explainRefusal(thrown, caller);
  countExceeded(thrown, running.observer);
  if (isBug(thrown)) {
    const { requestId, method, path } = request;
    running.observer.observe({ kind: 'request failed', requestId, method, path, err: thrown });
  }
  return envelopeError(thrown).error;
}

/** Returns the result of work for a request that has no answer for errors. They become errors of the protocol. */
export async function orProtocolError<Result>(call: AgentCall, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { status, message } = reportRefusal(error, call);
    throw new ProtocolError(status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message);
  }
}
