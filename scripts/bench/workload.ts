import { askDownload, askUpload } from './ask-media.js';
import { categorySlug, letter } from './data-set.js';
import { askContains, fewWords, listRows, rowAfterWrite } from './list-rows.js';
import {
  askBatch,
  askCreate,
  askCreateOnce,
  get,
  known,
  newest,
  spell,
  type Asker,
  type HttpRequest,
  type Question,
  type Row,
} from './questions.js';
import { below, draw, makeRandom } from './random.js';
import { categoryCount, pageCount, sizes, type Size } from './sizes.js';
import { removeUploads } from './store-download.js';

/** In the order of measuring. Writes come last, so that all reads see the data set as it was loaded. */
export const workload: readonly Row[] = [
  { key: 'n', title: 'health check, the floor of the HTTP stack', goal: null, ask: () => get('/_health', '/n') },
  { key: 'a', title: '25 newest, with total', goal: 1.3, ask: askNewest },
  {
    key: 'b',
    title: '25 newest, three relations, with total',
    goal: 1.3,
    ask: () => get(`/api/articles?${spell({ ...newest, populate })}`, '/b'),
  },
  { key: 'c-narrow', title: 'deep filter, few authors and 3 categories', goal: 1.3, ask: (n) => askDeep(n, `${letter(n)}a`, 3) },
  { key: 'c-broad', title: 'deep filter, many authors and 40 categories', goal: 1.3, ask: (n) => askDeep(n, letter(n), 40) },
  { key: 'd', title: 'one entry, three relations', goal: 1.3, ask: askOne },
  { key: '304-a', title: 'row a, of which the client has the answer', goal: 0.3, ask: () => known(askNewest()) },
  { key: '304-d', title: 'row d, of which the client has the answer', goal: 0.6, ask: (n, asker) => known(askOne(n, asker)) },
  { key: 'h', title: '$containsi, with total', goal: 1.3, scans: 'once', ask: (n) => askContains(n, fewWords) },
  { key: 'i', title: 'page 200 of the list', goal: 1.3, ask: () => get(`/api/articles?${spell(page200)}`, '/i') },
  { key: 'k', title: 'one entry, 20 components, dynamic zone', goal: 1.3, ask: askPage },
  {
    key: 'l',
    title: '25 newest of these, with total',
    goal: 1.3,
    ask: () => get(`/api/pages?${spell({ ...newest, populate: parts })}`, '/l'),
  },
  {
    key: 'g',
    title: 'GraphQL, lists within lists',
    goal: 1.5,
    ask: () => ({ product: nestedQuery, baseline: { method: 'GET', path: '/g' } }),
  },
  ...listRows,
  { key: 'm-download', title: 'download of 1 MB', goal: 1.25, ask: askDownload },
  { key: 'f', title: 'partial update', goal: 1.3, ask: askUpdate },
  { key: 'e', title: 'create with three relations', goal: 1.3, ask: askCreate },
  // 1.8 times row e
  { key: 'key', title: 'row e with an Idempotency-Key', goal: 2.3, ask: askCreateOnce },
  { key: 'batch', title: '20 creates in one transaction, against 20 creates', goal: null, ask: askBatch },
  rowAfterWrite,
  { key: 'm-upload', title: 'upload of 1 MB', goal: 1.25, ask: askUpload, clear: removeUploads },
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

function askDeep(n: number, name: string, categories: number): Question {
  const slugs = draw(makeRandom(n % 26), categories, categoryCount).map(categorySlug);
  const filters = { author: { name: { $startsWith: name } }, categories: { slug: { $in: slugs } } };
  const query = { filters, sort: 'views:desc', pagination: { pageSize: 25 }, populate };
  return get(`/api/articles?${spell(query)}`, `/c?${new URLSearchParams({ name, slugs: slugs.join(',') }).toString()}`);
}

/** An id of the data set; drafts are as likely as anywhere. */
const pickArticle = (n: number, size: Size): number => 1 + below(makeRandom(n), sizes[size]);

function askOne(n: number, { size }: Asker): Question {
  const id = String(pickArticle(n % 1_000, size));
  return get(`/api/articles/${id}?${spell({ populate })}`, `/d?id=${id}`);
}

function askPage(n: number): Question {
  const id = String(1 + below(makeRandom(n % 1_000), pageCount));
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
