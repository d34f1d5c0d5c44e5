import { expect } from 'chai';
import { Draw } from '../../content/rights/no-leak/draw.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { comparePlaces, keys, type Place, placeOf, type Post, postModels, related } from './cursor-list.js';

/** Other lists and changes: `CURSOR_SEED=7 CURSOR_WALKS=20 npx mocha test/api/rest/cursors-random.long.ts`. */
const seed = Number(process.env['CURSOR_SEED'] ?? Date.now() % 1_000_000);
/** Walks through the list for each sort and direction. */
const walks = Number(process.env['CURSOR_WALKS'] ?? 1);

const names = Object.keys(keys);
const sorts: readonly string[] = [
  ...names.flatMap((name) => [name, `${name}:desc`]),
  'rating:desc,title',
  'flag,rating:desc',
  'stars,category.name:desc,id:desc',
  'category.name,tags.name:desc',
  'parts.size,seo.label:desc',
  'flag:desc,id',
];

describe(`pages by cursors while entries change, seed ${String(seed)}`, () => {
  const draw = new Draw(seed);
  const posts = new Map<number, Post>();
  let serving: Serving;
  before(async () => {
    const documents = Object.fromEntries(
      Object.entries(related).map(([name, rows]) => [name, rows.map(({ id, ...row }) => ({ _id: id, ...row }))]),
    );
    serving = await serveModels({ models: postModels, documents });
    for (let made = 0; made < 30; made += 1) await create();
  });
  after(() => serving.stop());

  const maybe = <Value>(values: readonly Value[]): Value | null => (draw.chance(0.2) ? null : (draw.of(values) ?? null));
  const part = (): object => ({ label: maybe(['a', 'b', 'é']), size: maybe([1, 2, 3]), tag: maybe([1, 2, 3]) });
  const drawn: Readonly<Record<string, () => unknown>> = {
    title: () => maybe(['', 'a', 'a b', 'B', 'é', '$a', 'zz', '𝌆']),
    rating: () => maybe([-1, 0, 1, 2]),
    stars: () => maybe([1, 2]),
    price: () => maybe([0, -2.5, 0.1, 1e9]),
    big: () => maybe(['9007199254740993', '9007199254740992', '-1', '0']),
    flag: () => maybe([true, false]),
    at: () => maybe(['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.001Z', '1969-12-31T00:00:00.000Z']),
    day: () => maybe(['2024-01-01', '2023-12-31']),
    body: () => maybe(['x'.repeat(2_000), `${'x'.repeat(2_000)}y`, 'short']),
    data: () => maybe([1, 2, 10]),
    seo: () => (draw.chance(0.3) ? null : part()),
    parts: () => Array.from({ length: draw.whole(3) }, part),
    category: () => maybe([1, 2, 3, 4, 5]),
    tags: () => draw.some([1, 2, 3], 0.4),
  };
  const drawPost = (): object => Object.fromEntries(Object.entries(drawn).map(([name, make]) => [name, make()]));

  async function write(method: 'POST' | 'PUT', path: string, data: object): Promise<number> {
    const { status, body } = await serving.call(method, `/api/posts${path}?fields=title`, { data });
    if (status !== 200) throw new Error(`${method} ${JSON.stringify(data)}: ${JSON.stringify(body)}`);
    return body.data.id;
  }

  async function create(): Promise<void> {
    const data = drawPost();
    const id = await write('POST', '', data);
    posts.set(id, { ...data, id });
  }

  /** Creates, deletes or edits entries. */
  async function change(): Promise<void> {
    const post = draw.of([...posts.values()]);
    const kind = draw.whole(4);
    if (post === undefined || (kind === 0 && posts.size < 40)) return create();
    if (kind === 1 && posts.size > 20) {
      await serving.call('DELETE', `/api/posts/${String(post.id)}`);
      return void posts.delete(post.id);
    }
    const data = draw.chance(0.5) ? drawPost() : { note: String(draw.whole(100)) };
    await write('PUT', `/${String(post.id)}`, data);
    posts.set(post.id, { ...post, ...data });
  }

  /** What a page must be, for the entries behind a place; from the other end if `backwards`. */
  function expected(sort: string, place: Place | null, limit: number, backwards: boolean) {
    const sorted = [...posts.values()].map((post) => ({ id: post.id, place: placeOf(post, sort) }));
    sorted.sort((a, b) => comparePlaces(a.place, b.place));
    const sign = backwards ? -1 : 1;
    const behind = sorted.filter((one) => place === null || sign * comparePlaces(one.place, place) > 0);
    const page = backwards ? behind.slice(-limit) : behind.slice(0, limit);
    const others = [behind.length > limit, behind.length < sorted.length];
    const [hasNext, hasPrevious] = backwards ? others.reverse() : others;
    return { page, hasNext, hasPrevious, total: sorted.length };
  }

  /** Reads pages from a cursor to the end of the list, while entries change. Returns the cursor and the place at which it turned. */
  async function walk(sort: string, from: Turn | null, backwards: boolean): Promise<Turn> {
    let [cursor, place] = [from?.cursor ?? null, from?.place ?? null];
    for (let pages = 0; pages < 100; pages += 1) {
      const limit = 1 + draw.whole(6);
      const wanted = expected(sort, place, limit, backwards);
      const parameter = cursor === null ? 'pagination[cursors]=true' : `pagination[${backwards ? 'before' : 'after'}]=${cursor}`;
      const { status, body } = await serving.call(
        'GET',
        `/api/posts?fields=day&sort=${sort}&pagination[limit]=${String(limit)}&${parameter}`,
      );
      expect(status, JSON.stringify(body)).to.equal(200);
      const { cursors, ...pagination } = body.meta.pagination;
      const ids = body.data.map(({ id }: Post) => id);
      const { page, ...about } = wanted;
      expect({ ids, ...pagination }, parameter).to.deep.equal({ ids: page.map(({ id }) => id), limit, ...about });
      expect(Object.keys(body.data[0]?.attributes ?? { day: null })).to.deep.equal(['day']);
      const last = backwards ? page[0] : page.at(-1);
      [cursor, place] = last === undefined ? [cursor, place] : [backwards ? cursors.start : cursors.end, last.place];
      for (let changes = draw.whole(3); changes > 0; changes -= 1) await change();
      if (backwards ? !wanted.hasPrevious : !wanted.hasNext) return { cursor, place };
    }
    throw new Error('the list has no end');
  }

  for (const sort of sorts)
    it(`sort=${sort}`, async () => {
      for (let done = 0; done < walks; done += 1) {
        const end = await walk(sort, null, false);
        await walk(sort, end, true);
      }
    });
});

/** Where a walk ended. */
interface Turn {
  readonly cursor: string | null;
  readonly place: Place | null;
}
