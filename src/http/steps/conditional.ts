import { text } from '../json-schema.js';
import { errorAnswers } from '../operation.js';
import { refusePreconditions } from '../preconditions.js';
import type { Step } from '../route.js';
import { isRead } from '../tag-answers.js';

const header = (name: string, description: string): object => ({ name, in: 'header', description, schema: text });

const ifMatch = header('If-Match', 'The tag of the entry as the client knows it, or * for any');
const ifNew = header('If-None-Match', '* to create the entry only if there is none');

const errors = {
  412: { name: 'PreconditionFailed', description: 'The entry is not the one that the precondition names; ETag is its tag' },
  428: { name: 'PreconditionRequired', description: 'The type demands If-Match' },
};

const step = { name: 'preconditions', stage: 'check', defines: { errors } } as const;

/** Refuses If-Match and If-None-Match of writes. */
export const unconditional: Step = {
  ...step,
  around: (rest) => (call, ctx) => {
    if (!isRead(ctx)) refusePreconditions(ctx.req.headers);
    return rest(call, ctx);
  },
};

/** Leaves If-Match and If-None-Match of writes to the handler. */
export const conditional: Step = {
  ...step,
  describe: ({ method, path }) => ({
    parameters: method === 'PUT' && !path.includes(':') ? [ifMatch, ifNew] : [ifMatch],
    responses: errorAnswers(errors),
  }),
};
