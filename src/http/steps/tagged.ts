import { text } from '../json-schema.js';
import { cacheableRead } from '../answer-once.js';
import type { Step } from '../route.js';
import { beginTag, noteHeaders } from '../tag-answers.js';

const headers = { ETag: { description: 'The tag of the answer', schema: text } };
const ifNoneMatch = { name: 'If-None-Match', in: 'header', description: 'Tags of answers that the client has', schema: text };
interface Tagging {
  /** The header for callers without credentials; that of the configuration unless given. */
  readonly cacheControl?: string | undefined;
  /** Whether the answer is about the caller. */
  readonly isOwn?: boolean;
}

/**
 * Answers with an `ETag`, so that the client can ask whether it has the answer already, and answers from memory while the answer is
 * kept.
 */
export const tagged = ({ cacheControl, isOwn = false }: Tagging = {}): Step => ({
  name: 'tag',
  stage: 'tag',
  notes: 'reads',
  around: (rest) => async (call, ctx) => {
    if (call.caller.access.entry !== undefined) return rest(call, ctx); // nobody keeps this answer
    const cachedAnswer = beginTag(ctx, cacheableRead(call, { form: '', isOwn }), cacheControl);
    if (cachedAnswer !== null) return cachedAnswer;
    const answer = await rest(call, ctx);
    noteHeaders(ctx, answer?.headers);
    return answer;
  },
  describe: ({ method }) => {
    if (method === 'DELETE') return {};
    if (method !== 'GET') return { headers };
    return { parameters: [ifNoneMatch], headers, responses: { 304: { description: 'The client has the answer', headers } } };
  },
});

/** Notes what a request reads, whatever its method, so that its handler can keep the answer. */
export const noted: Step = { name: 'tag', stage: 'tag', notes: 'all' };
