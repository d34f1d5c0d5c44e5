import { messageOf } from '#base/errors.js';
import { envelopeError } from '#http/error-response.js';
import type { Answer, RouteCall } from '#http/route.js';
import { withoutSecrets } from '#http/without-secrets.js';
import { type AuditRecord, type FinishRecord, recordChange } from './audit-log.js';
import { isRecord } from '#base/values.js';
import type { Administrator } from './administrators/administrator.js';

type Call = Pick<RouteCall, 'request' | 'content'>;

/**
 * Answers a request of an administrator who may change something, which is in the audit log before it is handled, and then with its
 * outcome. Throws if it cannot be logged, so that nothing is changed.
 */
export async function recorded(
  call: Call,
  administrator: Pick<Administrator, 'id' | 'email'>,
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { database } = call.content.store;
  const finish = telling(await recordChange(database, recordOf(call, administrator)), call);
  const fail = async (error: unknown): Promise<never> => {
    const { status } = envelopeError(error).error;
    await finish({ status, changed: status < 500 ? false : null }, database);
    throw error;
  };
  const answer = await Promise.resolve().then(work).catch(fail);
  const { status = 200 } = answer;
  await finish({ status, changed: status < 400 }, database);
  return answer;
}

/**
 * Returns the answer to a request without a log-in, such as a registration. It is in the audit log if it has succeeded, so that nobody
 * can fill the log.
 */
export async function recordedLater(call: Call, work: () => Answer | Promise<Answer>): Promise<Answer> {
  const answer = await work();
  const { database } = call.content.store;
  const record = async (): Promise<void> => {
    const finish = await recordChange(database, recordOf(call, userIn(answer)));
    await finish({ status: answer.status ?? 200, changed: true }, database);
  };
  await record().catch(tellOf(call));
  return answer;
}

/** Returns a function whose error is told and not thrown: the answer is that of the change, which was made or refused before. */
const telling =
  (finish: FinishRecord, call: Call): FinishRecord =>
  (outcome, database) =>
    finish(outcome, database).catch(tellOf(call));

const tellOf =
  ({ content, request }: Call) =>
  (error: unknown): void => {
    content.notices.logOnce(`${request.method} ${request.path}: the audit log lacks the outcome: ${messageOf(error)}`);
  };

function recordOf({ request }: Call, by: Pick<Administrator, 'id' | 'email'> | null): AuditRecord {
  const who = by === null ? { who: 'unknown' } : { administratorId: by.id, who: by.email };
  const actor = { kind: 'administrator', tokenId: null, ...who } as const;
  return {
    at: new Date(),
    ...actor,
    ip: request.ip,
    what: `${request.method} ${request.path}`,
    body: withoutSecrets(request.body),
  };
}

/** Returns the administrator whom an answer shows; null if it shows none. */
function userIn({ body }: Answer): Pick<Administrator, 'id' | 'email'> | null {
  const data = isRecord(body) && isRecord(body['data']) ? body['data'] : {};
  const user = data['user'];
  return isRecord(user) ? { id: Number(user['id']), email: String(user['email']) } : null;
}
