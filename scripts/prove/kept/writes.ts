import type { Random } from '../../random.js';
import { allActions, postUid } from './callers.js';
import type { World } from './world.js';

/** A write by an instance. */
interface Writing {
  readonly world: World;
  readonly random: Random;
  /** The index of the instance. */
  readonly by: number;
}

type Write = (writing: Writing) => Promise<unknown>;

const rows = ({ world }: Writing, name: string) => world.database.db.collection<{ _id: number }>(name);

async function oneId(writing: Writing, name: string): Promise<number> {
  const found = await rows(writing, name)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  return writing.random.maybe(found)?._id ?? 1;
}

const title = ({ random }: Writing): string => `t${String(random.below(100))}`;
const color = ({ random }: Writing): string => random.of(['red', 'blue', 'green']);

async function postOf(writing: Writing): Promise<object> {
  const { random, world } = writing;
  const author = await oneId(writing, 'authors');
  return {
    ...{ title: title(writing), rating: random.below(6), owner: random.of(world.callers.users), secret: 'word' },
    ...(random.oneIn(2) && { author }),
    ...(random.oneIn(2) && { tags: [await oneId(writing, 'tags')] }),
    ...(random.oneIn(3) && { seo: random.oneIn(2) ? null : { title: color(writing), author } }),
    ...(random.oneIn(4) && { body: [{ __component: 'shared.seo', author }] }),
  };
}

const authorOf = ({ random }: Writing): object => ({ name: random.of(['Ann', 'Bob', 'Cid']), active: !random.oneIn(3) });
const published = ({ random }: Writing): object => ({ publishedAt: random.oneIn(3) ? null : new Date().toISOString() });

const call = ({ world, by }: Writing, method: string, path: string, body?: object): Promise<unknown> =>
  world.write(by, method, path, body);

type Values = (writing: Writing) => object | Promise<object>;

const create =
  (name: string, values: Values): Write =>
  async (writing) =>
    call(writing, 'POST', `/api/${name}`, { data: await values(writing) });

const change =
  (name: string, values: Values): Write =>
  async (writing) =>
    call(writing, 'PUT', `/api/${name}/${String(await oneId(writing, name))}`, { data: await values(writing) });

const remove =
  (name: string, least: number): Write =>
  async (writing) =>
    (await rows(writing, name).countDocuments()) > least
      ? call(writing, 'DELETE', `/api/${name}/${String(await oneId(writing, name))}`)
      : create(name, name === 'posts' ? postOf : authorOf)(writing);

async function mutate(writing: Writing): Promise<unknown> {
  const id = String(await oneId(writing, 'posts'));
  const query = `mutation { updatePost(id: ${id}, data: { title: "${title(writing)}", rating: ${String(writing.random.below(6))} }) { data { id } } }`;
  return call(writing, 'POST', '/graphql', { query });
}

async function writeBatch(writing: Writing): Promise<unknown> {
  const path = `/posts/${String(await oneId(writing, 'posts'))}`;
  const requests = [
    { method: 'PUT', path, body: { data: { title: title(writing) } } },
    { method: 'POST', path: '/notes', body: { data: { text: 'n', approved: writing.random.oneIn(2), post: 1 } } },
  ];
  return call(writing, 'POST', '/api/batch', { transaction: writing.random.oneIn(2), requests });
}

const localize: Write = async (writing) =>
  call(writing, 'POST', `/api/posts/${String(await oneId(writing, 'posts'))}/localizations`, { locale: 'fr', title: 'fr' });

/** Changes the rights of one of the two roles between which a user changes. */
function changeRights({ world, random, by }: Writing): Promise<unknown> {
  const role = `/roles/${String(random.of(world.callers.roles))}`;
  if (random.oneIn(3)) return world.admin(by, 'PUT', role, { actions: allActions.filter(() => !random.oneIn(4)) });
  const rowsOf = random.maybe([
    null,
    { rating: { $gt: 2 } },
    { author: { active: { $eq: true } } },
    { owner: { $eq: '$user.id' } },
  ]);
  const fieldsOf = random.oneIn(2) ? { [postUid]: { deny: ['secret', 'title'] } } : null;
  return world.admin(by, 'PUT', `${role}/rules`, { rows: rowsOf && { [postUid]: rowsOf }, fields: fieldsOf });
}

function changeUser({ world, random, by }: Writing): Promise<unknown> {
  const values = random.oneIn(2) ? { blocked: random.oneIn(3) } : { role: random.of(world.callers.roles) };
  return world.admin(by, 'PUT', `/users/${String(world.callers.changing)}`, values);
}

const changeLocale = ({ world, random, by }: Writing): Promise<unknown> =>
  world.admin(by, 'PUT', `/locales/${random.of(['en', 'fr'])}`, { isDefault: true });

/** Writes that no instance has made, with their weights. */
const pastApi: readonly (readonly [weight: number, write: Write])[] = [
  [
    3,
    (writing) =>
      rows(writing, 'posts').updateMany({ rating: writing.random.below(6) } as object, { $set: { rating: 1 } } as object),
  ],
  [
    2,
    async (writing) =>
      rows(writing, 'authors').updateOne({ _id: await oneId(writing, 'authors') }, { $set: { name: 'Past' } } as object),
  ],
];

const throughApi: readonly (readonly [weight: number, write: Write])[] = [
  [10, create('posts', postOf)],
  [25, change('posts', postOf)],
  [11, remove('posts', 12)],
  [6, change('posts', published)],
  [3, localize],
  [3, create('authors', authorOf)],
  [10, change('authors', authorOf)],
  [4, remove('authors', 4)],
  [4, change('authors', published)],
  [5, change('authors', async (writing) => ({ posts: [await oneId(writing, 'posts')] }))],
  [4, change('tags', async (writing) => ({ name: color(writing), posts: [await oneId(writing, 'posts')] }))],
  [5, change('notes', async (writing) => ({ approved: writing.random.oneIn(2), post: await oneId(writing, 'posts') }))],
  [8, mutate],
  [5, writeBatch],
  [2, changeRights],
  [2, changeUser],
  [1, changeLocale],
];

/** Chooses a write. `isForeign`: no instance makes it, so that all must hear of it. */
export function writeOf(random: Random): { readonly isForeign: boolean; readonly run: Write } {
  const isForeign = random.oneIn(20);
  const list = isForeign ? pastApi : throughApi;
  let left = random.below(list.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, run] of list) {
    left -= weight;
    if (left < 0) return { isForeign, run };
  }
  return { isForeign, run: () => Promise.resolve() };
}
