import { keyError } from '../idempotency/read-key.js';
import { onceFor } from '../idempotency/run-once.js';
import { errorAnswers } from '../operation.js';
import type { Run, Step } from '../route.js';
import { isRead } from '../tag-answers.js';

const header = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of the client, such as a UUID: a request that is repeated with it is carried out once, and answered as the first',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const errors = {
  409: { name: 'UnderWay', description: 'The first request with this Idempotency-Key is still under way' },
  422: { name: 'KeyUsed', description: 'The Idempotency-Key was used for another request' },
};

/** `answering` returns the function that answers a write with a key. */
const keyStep = (answering: (rest: Run) => (key: string, ...request: Parameters<Run>) => ReturnType<Run>): Step => ({
  name: 'key',
  stage: 'key',
  defines: { parameters: { IdempotencyKey: header }, errors },
  around: (rest) => {
    const answer = answering(rest);
    return (call, ctx) => {
      const key = ctx.req.headers['idempotency-key'] as string | undefined; // Node joins several into one
      return key === undefined || isRead(ctx) ? rest(call, ctx) : answer(key, call, ctx);
    };
  },
});

/** Refuses keys. */
export const unkeyed = keyStep(() => (_key, _call, { method, path }) => {
  throw keyError(400, `${method} ${path} does not support the header Idempotency-Key`);
});

const honouring = (...[answering]: Parameters<typeof keyStep>): Step => ({
  ...keyStep(answering),
  describe: () => ({ parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }], responses: errorAnswers(errors) }),
});

/**
 * Honours the Idempotency-Key of a write. `whole`: the handler runs in the transaction of the key. `part`: the handler calls
 * `runWithKey` when it has received everything. `mutations`: the same, if it finds a mutation. `inBody`: each write in the body has a key
 * of its own, so that the header adds nothing.
 */
export const keyed = {
  whole: honouring((rest) => (key, call, ctx) => {
    const run = async (content: typeof call.content) => (await rest({ ...call, content }, ctx)) ?? {};
    return onceFor(call, key)(run, null);
  }),
  part: honouring((rest) => (key, call, ctx) => rest({ ...call, once: onceFor(call, key) }, ctx)),
  inBody: keyStep((rest) => (_key, call, ctx) => rest(call, ctx)),
  mutations: honouring(
    (rest) => (key, call, ctx) => rest({ ...call, once: (write, parts) => onceFor(call, key)(write, parts) }, ctx),
  ),
};
