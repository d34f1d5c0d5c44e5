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
