import type { Response } from 'graphql-http';

/** What goes back over HTTP. */
export interface Answer {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain' | 'text/html';
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const textAnswer = (status: number, body: string): Answer => ({ status, type: 'text/plain', body });

export const jsonAnswer = (status: number, body: unknown): Answer => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(body)}\n`,
});

/** A request that GraphQL cannot even begin with. */
export const failureAnswer = (status: number, message: string, code = 'INTERNAL_SERVER_ERROR'): Answer =>
  jsonAnswer(status, { errors: [{ message, extensions: { code } }] });

/** An answer in the form that hooks of graphql-http return. */
export const responseOf = ({ status, type, body, headers }: Answer): Response => [
  body,
  { status, statusText: '', headers: { ...headers, 'content-type': type } },
];

/** The answer that graphql-http has made: one of `responseOf`, or JSON of its own under its own media type. */
export function answerOf([body, { status, headers = {} }]: Response): Answer {
  const { 'content-type': type, ...rest } = headers;
  if (type === 'text/plain') return { status, type, body: body ?? '', headers: rest };
  return { status, type: 'application/json', body: `${(body ?? '').trimEnd()}\n` };
}
