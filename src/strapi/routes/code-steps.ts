import { keyError } from '#http/idempotency/read-key.js';
import type { GuardedRow, Step } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { isRead } from '#http/tag-answers.js';

/**
 * Tells the log that nothing honours the key of a write. Throws a 409 for one that a client repeats by itself (`Idempotency-Repeat: true`),
 * because the code would carry it out twice.
 */
const unheeded: Step = {
  name: 'key',
  stage: 'key',
  around:
    (rest, { action }) =>
    (call, ctx) => {
      const { headers } = ctx.req;
      if (isRead(ctx) || headers['idempotency-key'] === undefined) return rest(call, ctx);
      call.content.notices.logOnce(`${action}: the header Idempotency-Key is ignored, because code of the project answers`);
      if (headers['idempotency-repeat'] === undefined) return rest(call, ctx);
      throw keyError(
        409,
        'Code of the project answers this route and may have done so before: please look before sending it again',
      );
    },
};

/** The steps of routes of project code, which decides about preconditions itself. */
export const codeSteps: readonly Step[] = [{ name: 'preconditions', stage: 'check' }, unheeded];

/** Returns a row of the service for a route with `auth: false`: everybody may call it, and nobody is identified. */
export const withoutAuthorization = (row: GuardedRow): GuardedRow => ({
  ...row,
  action: 'anybody',
  steps: [...(row.steps ?? []), unidentified],
});
