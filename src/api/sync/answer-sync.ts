import { validationError } from '#base/errors.js';
import type { Answer, RouteCall } from '#http/route.js';
import { parseAsked } from './asked.js';
import { answerEvents } from './answer-events.js';
import { nextStep } from './next-step.js';
import { begin, syncOf, unstored } from './sync-service.js';
import type { Step } from './read-step.js';
import { SyncSession } from './sync-session.js';

/** Maximum number of seconds that a request waits. */
const longestWait = 55;

/** Answers a request for the entries of a type, or for what has changed since a token; as a stream if the client asks for one. */
export async function answerSync(call: RouteCall): Promise<Answer> {
  const { request, running } = call;
  const { asked, rest } = parseAsked(request.query, ['token', 'wait'], running.config);
  const token = textOf(rest['token']);
  const session = new SyncSession(call, asked, token !== null || request.headers['last-event-id'] !== undefined);
  const service = syncOf(running);
  const isStream = request.headers.accept?.includes('text/event-stream') === true;
  if (isStream && rest['wait'] !== undefined) throw validationError('Invalid parameter wait: a stream waits by itself');
  if (isStream) return answerEvents(call, { session, service, token });
  const wait = secondsOf(rest['wait']);
  const begun = await begin(service, session, { token, ends: call.ends });
  const step = await nextStep(call, { session, service, begun, wait });
  return { body: bodyOf(step, service.tokens.write(step.next, begun.handle)), headers: unstored };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the number of seconds to wait. Throws a ValidationError if it is none. */
function secondsOf(value: unknown): number {
  if (value === undefined) return 0;
  const seconds = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : NaN;
  if (seconds >= 1 && seconds <= longestWait) return seconds;
  throw validationError(`Invalid parameter wait: expected seconds from 1 to ${String(longestWait)}`);
}

const bodyOf = ({ changes, more, position }: Step, token: string): object => ({
  data: changes,
  meta: { sync: { token, more, ...(position !== null && { position }) } },
});
