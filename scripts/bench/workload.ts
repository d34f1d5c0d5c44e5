import { askKeyedUpdate, askPush, clearNotes } from './ask-push.js';
import { askDownload, askUpload } from './ask-media.js';
import { categorySlug, letter } from './data-set.js';
import { askContains, fewWords, listRows, row, rowAfterWrite } from './list-rows.js';
import {
  anew,
  askBatch,
  askCreate,
  askCreateOnce,
  get,
  kept,
  known,
  newest,
  spell,
  type Asker,
  type HttpRequest,
  type Question,
  type Row,
} from './questions.js';
import { Random } from '../random.js';
import { categoryCount, pageCount, sizes, type Size } from './sizes.js';
import { removeUploads } from './store-download.js';

/** In the order of measuring. Writes come last, so that all reads see the data set as it was loaded. */
export const workload: readonly Row[] = [
  row('n', 'health check, the floor of the HTTP stack', () => get('/_health', '/n'), { goal: null }),
  row('a', '25 newest, with total', askNewest),
  row('b', '25 newest, three relations, with total', () => get(`/api/articles?${spell({ ...newest, populate })}`, '/b')),
  row('c-narrow', 'deep filter, few authors and 3 categories', (n) => askDeep(n, `${letter(n)}a`, 3)),
  row('c-broad', 'deep filter, many authors and 40 categories', (n) => askDeep(n, letter(n), 40)),
  // no total of these is kept, and no two are the same
  row('c-first', 'deep filters that were not asked before', (n) => askDeep(n, `${letter(n)}a`, 3, n)),
  row('d', 'one entry, three relations', askOne),
  row('304-a', 'row a, of which the client has the answer', () => known(askNewest()), { goal: 0.3 }),
  row('304-d', 'row d, of which the client has the answer', (n, asker) => known(askOne(n, asker)), { goal: 0.6 }),
  row('kept', 'row a, from memory', () => kept(askNewest()), { goal: 0.3 }),
  row('h', '$containsi, with total', (n) => askContains(n, fewWords), { scans: 'once' }),
  row('i', 'page 200 of the list', () => get(`/api/articles?${spell(page200)}`, '/i')),
  row('k', 'one entry, 20 components, dynamic zone', askPage),
  row('l', '25 newest of these, with total', () => get(`/api/pages?${spell({ ...newest, populate: parts })}`, '/l')),
  row('g', 'GraphQL, lists within lists', () => ({ product: nestedQuery, baseline: { method: 'GET', path: '/g' } }), {
    goal: 1.5,
  }),
  ...listRows,
  row('m-download', 'download of 1 MB', askDownload, { goal: 1.25 }),
  row('f', 'partial update', askUpdate),
  row('e', 'create with three relations', askCreate),
  // 1.8 times row e
  row('key', 'row e with an Idempotency-Key', askCreateOnce, { goal: 2.3 }),
  row('put-key', 'an update with an Idempotency-Key', askKeyedUpdate, { goal: null, clear: clearNotes }),
  row('push', '20 updates in a push', (n, asker) => askPush(n, asker, 20), { goal: null, isSynced: true, clear: clearNotes }),
  row('push-1', 'an update in a push', (n, asker) => askPush(n, asker, 1), { goal: 1.5, isSynced: true, clear: clearNotes }),
  row('batch', '20 creates in one transaction, against 20 creates', askBatch, { goal: null }),
  rowAfterWrite,
  row('m-upload', 'upload of 1 MB', askUpload, { goal: 1.25, clear: removeUploads }),
];

const populate = ['author', 'categories', 'tags'];
// Of the smallest data set it is the last page that is nearer to the beginning than to the end, from which further ones are read.
const page200 = { sort: 'publishedAt:desc', pagination: { page: 200, pageSize: 25 }, publicationState: 'preview' };

/** Everything that a page holds and links to. */
const parts = {
  sections: { populate: { author: true, cover: true, link: { populate: ['category'] } } },
  blocks: {
    on: {
      'page.quote': { populate: ['author'] },
      'page.gallery': { populate: ['images'] },
      'page.teaser': { populate: ['tags'] },
    },
  },
};

function askNewest(): Question {
  return get(`/api/articles?${spell(newest)}`, '/a');
}

function askDeep(n: number, name: string, categories: number, seed = n % 26): Question {
  const slugs = new Random(seed).draw(categories, categoryCount).map(categorySlug);
  const filters = { author: { name: { $startsWith: name } }, categories: { slug: { $in: slugs } } };
  const query = { filters, sort: 'views:desc', pagination: { pageSize: 25 }, populate };
  return get(`/api/articles?${spell(query)}`, `/c?${new URLSearchParams({ name, slugs: slugs.join(',') }).toString()}`);
}

/** An id of the data set; drafts are as likely as anywhere. */
const pickArticle = (n: number, size: Size): number => 1 + new Random(n).below(sizes[size]);

function askOne(n: number, { size }: Asker): Question {
  const id = String(pickArticle(n % 1_000, size));
  return get(`/api/articles/${id}?${spell({ populate })}`, `/d?id=${id}`);
}

function askPage(n: number): Question {
  const id = String(1 + new Random(n % 1_000).below(pageCount));
  return get(`/api/pages/${id}?${spell({ populate: parts })}`, `/k?id=${id}`);
}

function askUpdate(n: number, { size }: Asker): Question {
  const id = String(pickArticle(n, size));
  const body = JSON.stringify({ data: { rating: (n % 51) / 10 } });
  return {
    product: { method: 'PUT', path: `/api/articles/${id}`, body },
    baseline: { method: 'PUT', path: `/f?id=${id}`, body },
  };
}

const nestedQuery: HttpRequest = {
  method: 'POST',
  path: '/graphql',
  headers: anew,
  body: JSON.stringify({
    query: `{
      articles(sort: "publishedAt:desc", pagination: { limit: 25 }) {
        data {
          id
          attributes {
            title
            author {
              data {
                id
                attributes {
                  name
                  articles(sort: "publishedAt:desc", pagination: { limit: 5 }) { data { id attributes { title } } }
                }
              }
            }
            categories { data { id attributes { name } } }
          }
        }
      }
    }`,
  }),
};
