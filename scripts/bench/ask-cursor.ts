import { createSeal } from '../../src/content/cursor-seal.js';
import { makeCursor } from '../../src/content/cursors.js';
import { benchSecrets } from './bench-secrets.js';
import { makeArticle } from './data-set.js';
import { get, newest, spell, type Asker, type Question } from './questions.js';
import { sizes, type Size } from './sizes.js';

/** Entries of a page. */
const pageSize = 25;

/** What cursors of the newest articles are valid for. */
const scope = JSON.stringify(['api::article.article', ['publishedAt -1'], null, null, 'live', null]);

/**
 * Row v: the page with a number of the 25 newest, read from a cursor. The cursor is one that the product would make with the secret of the
 * benchmark. The smallest data set has no page 2,000, and is asked for one near its end.
 */
export function askCursor(page: number, { size }: Asker): Question {
  if (page === 1) return get(`/api/articles?${spell(atCursor({ cursors: true }))}`, '/v');
  const { id, publishedAt } = publishedBelow(Math.max(sizes[size] - pageSize * (page - 1), 2 * pageSize), size);
  const context = { cursors: createSeal(benchSecrets.tokenSalt) };
  const after = makeCursor({ values: [publishedAt], id }, { scope, context });
  return get(`/api/articles?${spell(atCursor({ after }))}`, `/v?after=${publishedAt.toISOString()}`);
}

/** Returns the newest published article with an id of at most `id`. */
function publishedBelow(id: number, size: Size): { readonly id: number; readonly publishedAt: Date } {
  const { publishedAt } = makeArticle(id, size);
  return publishedAt === null ? publishedBelow(id - 1, size) : { id, publishedAt };
}

const atCursor = (cursor: object): object => ({ ...newest, pagination: { limit: pageSize, ...cursor } });
