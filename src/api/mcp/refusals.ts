import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { memoize } from '#base/caches.js';
import { countExceeded } from '#base/limits/exceeded.js';
import type { Observer } from '#base/observe/observer.js';
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

/** Lines of the log in a minute about errors of the protocol. */
const mostLines = 10;
const minute = 60_000;

/** Characters of a message and of a stack in the log, which may repeat what a client has sent. */
const longestText = 500;
const longestStack = 4_000;

/** The lines of the last minute. */
class ErrorLog {
  #begun = -minute;
  #lines = 0;
  #omitted = 0;

  /** Returns the number of errors that were left out since the last line; null if this one is left out too. */
  enter(): number | null {
    const now = performance.now();
    if (now - this.#begun >= minute) [this.#begun, this.#lines] = [now, 0];
    this.#lines += 1;
    if (this.#lines > mostLines) {
      this.#omitted += 1;
      return null;
    }
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}

const logs = memoize<Observer, ErrorLog>(() => new ErrorLog());

/** Reports the first of the errors that the protocol has met besides those of its handlers: a few in a minute, and briefly. */
export function reportErrors([first]: readonly Error[], { running: { observer } }: AgentCall): void {
  const omitted = first === undefined ? null : logs(observer).enter();
  if (first === undefined || omitted === null) return;
  const err = new Error(first.message.slice(0, longestText));
  err.stack = String(first.stack).slice(0, longestStack);
  observer.observe({ kind: 'failed', work: 'agents', err, ...(omitted > 0 && { about: { omitted } }) });
}
