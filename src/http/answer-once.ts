import type { Context } from 'koa';
import { cacheTags } from './cache-tags.js';
import { type CacheableRead, setCacheStatus } from './answer-cache.js';
import type { Answer, RouteCall } from './route.js';

/** What a call reads besides its address. */
type RequestForm = Pick<CacheableRead, 'form' | 'isOwn'>;

/** Returns the read of a request; null if its answer is not kept. */
export function cacheableRead({ caller, content, running }: RouteCall, requestForm: RequestForm): CacheableRead | null {
  const { reads } = content.store.database;
  if (caller.access.entry !== undefined) return null; // it is one entry as somebody else sees it
  return reads && { caller, content, models: running.source.models, answers: running.answers, reads, ...requestForm };
}

/**
 * Answers from memory if the answer to a request of a row without tags is kept; otherwise answers by `answer`, and keeps the result. `form`
 * is what is asked for besides the address.
 */
export async function answerOnce(ctx: Context, call: RouteCall, form: string, answer: () => Promise<Answer>): Promise<Answer> {
  const read = cacheableRead(call, { form, isOwn: false });
  if (ctx.method === 'GET') ctx.vary('Authorization'); // shared caches may keep it for the public
  if (read === null) return answer();
  const { answers, reads } = read;
  const cached = answers.keepsBytes ? answers.find(ctx, read) : null;
  const body = cached && answers.bodyOf(cached, read);
  if (body !== null) {
    setCacheStatus(ctx, true);
    return { headers: body.headers, body: body.bytes };
  }
  const freshAnswer = await answer();
  const { status = 200, body: bytes } = freshAnswer;
  if (status !== 200 || !Buffer.isBuffer(bytes)) return freshAnswer;
  const headers = { ...freshAnswer.headers, ...cacheTags(read.content) };
  if (answers.keepsBytes) {
    if (!reads.dependsOnMore) setCacheStatus(ctx, false);
    answers.keep(ctx, { tag: null, headers, bytes }, read);
  }
  return { ...freshAnswer, headers };
}
