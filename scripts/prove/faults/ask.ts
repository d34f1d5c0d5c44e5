import { type Agent, request } from 'node:http';

/** The answer to a request; status 0: there is none. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Whether the answer says when to try again. */
  readonly isLater: boolean;
}

/** Returns whether a client repeats a write after an answer: it was lost, or said to try again. */
export const isLaterAnswer = ({ status, isLater }: Answer): boolean =>
  [0, 502, 503].includes(status) || (status === 409 && isLater);

interface Question {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly type?: string;
  /** The Idempotency-Key. */
  readonly key?: string | null;
  readonly body?: string | Buffer;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request. Resolves to status 0 if there is no answer. */
export const ask = ({
  agent,
  url,
  method,
  type = 'application/json',
  key = null,
  body = '',
  headers: more = {},
}: Question): Promise<Answer> =>
  new Promise((resolve) => {
    const headers = {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...(key !== null && { 'idempotency-key': key }),
      ...more,
    };
    const lost = (): void => {
      resolve({ status: 0, body: '', isLater: false });
    };
    const outgoing = request(url, { agent, method, headers, timeout: 60_000 }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const { statusCode = 0, headers } = answer;
        resolve({ status: statusCode, body: Buffer.concat(parts).toString(), isLater: 'retry-after' in headers });
      });
      answer.on('error', lost);
      answer.on('aborted', lost);
    });
    outgoing.on('error', lost);
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.end(body);
  });
