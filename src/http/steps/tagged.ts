import { text } from '../json-schema.js';
import type { Answer, Step } from '../route.js';
import { beginTag } from '../tag-answers.js';

const headers = { ETag: { description: 'The tag of the answer', schema: text } };
const ifNoneMatch = { name: 'If-None-Match', in: 'header', description: 'Tags of answers that the client has', schema: text };
const unchanged: Answer = { status: 304 };

/**
 * Answers with an `ETag`, so that the client can ask whether it has the answer already. `cacheControl` is the header for callers without
 * credentials; that of the configuration unless given.
 */
export const tagged = (cacheControl?: string): Step => ({
  name: 'tag',
  stage: 'tag',
  around: (rest) => (call, ctx) => {
    const { caller, content, running } = call;
    const { reads } = content.store.database;
    const read = reads && { caller, content, models: running.source.models, tags: running.tags, reads };
    return beginTag(ctx, read, cacheControl) ? unchanged : rest(call, ctx);
  },
  describe: ({ method }) => {
    if (method === 'DELETE') return {};
    if (method !== 'GET') return { headers };
    return { parameters: [ifNoneMatch], headers, responses: { 304: { description: 'The client has the answer', headers } } };
  },
});
