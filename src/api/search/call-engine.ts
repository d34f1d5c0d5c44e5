/** An engine that is reached over HTTP. */
export interface EngineAddress {
  readonly url: string;
  /** The headers of all requests, with the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer that is no success. Its message has no key. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** Sends a request, and returns the text of the answer. Throws an EngineRefusal for answers that are no success. */
export async function callEngine(
  { url, headers }: EngineAddress,
  { method, path, body, signal }: EngineRequest,
): Promise<string> {
  const isText = typeof body === 'string';
  const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'Content-Type': isText ? 'text/plain' : 'application/json' }) },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    redirect: 'error',
    signal,
  });
  const answer = await response.text();
  if (!response.ok)
    throw new EngineRefusal(response.status, `${method} ${path}: ${String(response.status)} ${answer.slice(0, 500)}`);
  return answer;
}

/** Returns the text of an answer; null for a 404. */
export const nullIfNotFound = (answer: Promise<string>): Promise<string | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof EngineRefusal && error.status === 404) return null;
    throw error;
  });
