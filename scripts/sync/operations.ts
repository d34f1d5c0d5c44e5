import type { ClientSession } from 'mongodb';
import { allActions, type Instances } from './instances.js';
import type { Random } from './random.js';

/** Posts up to this id are written only by transactions that are held open, so that nobody waits for them. */
const lastHeld = -1_000;

/** What operations work on. */
export interface World {
  readonly instances: Instances;
  readonly random: Random;
  /** A transaction that is held open over several operations; null if there is none. */
  open: ClientSession | null;
}

type Operate = (world: World) => Promise<unknown>;

const post = 'api::post.post';

const rows = ({ instances }: Pick<World, 'instances'>, name: string) => instances.database.db.collection<{ _id: number }>(name);
const claims = ({ database }: Instances) => database.db.collection<{ _id: string }>('_claims');

const write = async ({ instances, random }: World, method: string, path: string, data: object): Promise<unknown> =>
  instances.at(random.below(2)).as(instances.at(0).editor, method, path, { data });

async function idsOf(world: World, name: string): Promise<number[]> {
  const found = await rows(world, name)
    .find({ _id: { $gt: 0 } }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id }) => _id);
}

const oneId = async (world: World, name: string): Promise<number | null> => world.random.maybe(await idsOf(world, name)) ?? null;

const someIds = async (world: World, name: string): Promise<number[]> =>
  (await idsOf(world, name)).filter(() => world.random.oneIn(3));

async function change(world: World, name: string, values: (world: World) => object | Promise<object>): Promise<unknown> {
  const id = await oneId(world, name);
  return id === null ? null : write(world, 'PUT', `/api/${name}/${String(id)}`, await values(world));
}

async function remove(world: World, name: string): Promise<unknown> {
  const id = await oneId(world, name);
  return id === null ? null : write(world, 'DELETE', `/api/${name}/${String(id)}`, {});
}

const color = ({ random }: Pick<World, 'random'>): string => random.of(['red', 'blue', 'green']);

const authorValues = ({ random }: Pick<World, 'random'>): object => ({
  name: random.of(['Ann', 'Bob', 'Cid']),
  active: !random.oneIn(3),
});

async function postValues(world: World): Promise<object> {
  const { random } = world;
  const author = await oneId(world, 'authors');
  return {
    title: `t${String(random.below(100))}`,
    rating: random.below(6),
    owner: 1 + random.below(2),
    ...(random.oneIn(2) && { author }),
    ...(random.oneIn(2) && { tags: await someIds(world, 'tags') }),
    ...(random.oneIn(2) && { seo: random.oneIn(2) ? null : { title: color(world), author } }),
    ...(random.oneIn(3) && { body: [{ __component: 'shared.seo', author }] }),
  };
}

async function localize(world: World): Promise<unknown> {
  const id = await oneId(world, 'posts');
  const { instances, random } = world;
  const body = { locale: 'fr', title: 'fr', publishedAt: random.oneIn(2) ? null : new Date() };
  return instances.at(random.below(2)).as(instances.at(0).editor, 'POST', `/api/posts/${String(id)}/localizations`, body);
}

async function replacePastApi(world: World): Promise<unknown> {
  const _id = (await oneId(world, 'posts')) ?? 999;
  const { random } = world;
  const author = random.oneIn(2) ? 900 + random.below(3) : await oneId(world, 'authors');
  const replacement = { title: 'past', rating: random.below(6), owner: 1, locale: 'en', publishedAt: new Date(0), author };
  if (random.oneIn(2))
    await rows(world, 'authors').replaceOne(
      { _id: 900 + random.below(3) },
      { name: 'Ann', active: true, publishedAt: new Date(0) } as object,
      { upsert: true },
    );
  return rows(world, 'posts').replaceOne({ _id }, replacement as object, { upsert: true });
}

async function holdOpen(world: World): Promise<void> {
  if (world.open !== null) return;
  const session = world.instances.database.client.startSession();
  session.startTransaction();
  world.open = session;
  const _id = lastHeld - world.random.below(1_000);
  const held = { title: 'held', locale: 'en', publishedAt: new Date(0), rating: 5, owner: 1 };
  const update = { $set: { rating: world.random.below(6) } };
  await rows(world, 'posts').updateMany({ _id: { $lte: lastHeld } }, update as object, { session });
  await rows(world, 'posts').updateOne({ _id }, { $set: held } as object, { upsert: true, session });
}

/** Commits or aborts the transaction that is held open. */
export async function endOpen(world: World): Promise<void> {
  const { open, random } = world;
  world.open = null;
  if (open === null) return;
  if (random.oneIn(4)) await open.abortTransaction();
  else await open.commitTransaction().catch(() => undefined); // the server may have ended it
  await open.endSession();
}

function changeRules({ instances, random }: World): Promise<unknown> {
  const ofPosts = random.maybe([
    { owner: { $eq: '$user.id' } },
    { rating: { $gt: 2 } },
    { author: { active: { $eq: true } } },
    { notes: { approved: { $eq: true } } },
  ]);
  const rules = random.oneIn(3)
    ? { rows: null, fields: null }
    : {
        rows: { [post]: ofPosts, 'api::author.author': { active: { $eq: true } } },
        fields: random.oneIn(2) ? { [post]: { deny: ['secret'] } } : null,
      };
  return instances.at(random.below(2)).admin('PUT', '/roles/1/rules', rules);
}

function changeRights({ instances, random }: World): Promise<unknown> {
  const actions = random.oneIn(2) ? allActions : allActions.filter((_name, index) => index === 0 || !random.oneIn(3));
  return instances.at(random.below(2)).admin('PUT', '/roles/1', { actions });
}

const changeModel = ({ instances, random }: World): Promise<unknown> =>
  instances.database.db
    .collection<{ _id: string }>('_models')
    .updateOne(
      { _id: post },
      random.oneIn(2) ? { $set: { 'attributes.extra': { type: 'string' } } } : { $unset: { 'attributes.extra': 1 } },
    );

async function replaceCollection(world: World): Promise<void> {
  await endOpen(world);
  const kept = await rows(world, 'tags')
    .find({ _id: { $gt: 0 } })
    .toArray();
  await rows(world, 'tags_new').deleteMany({});
  await rows(world, 'tags_new').insertMany(
    [...kept, { _id: 5_000 + world.random.below(1_000) }].filter(
      ({ _id }, index, all) => all.findIndex((one) => one._id === _id) === index,
    ),
  );
  await rows(world, 'tags_new').rename('tags', { dropTarget: true });
}

/** Operations with their weights. */
const operations: readonly (readonly [weight: number, name: string, operate: Operate])[] = [
  [10, 'create a post', async (world) => write(world, 'POST', '/api/posts', await postValues(world))],
  [20, 'update a post', (world) => change(world, 'posts', postValues)],
  [6, 'delete a post', (world) => remove(world, 'posts')],
  [
    4,
    'publish or hide a post',
    (world) => change(world, 'posts', ({ random }) => ({ publishedAt: random.oneIn(2) ? null : new Date() })),
  ],
  [3, 'localize a post', localize],
  [
    4,
    'create an author',
    ({ random, ...world }) => write({ random, ...world }, 'POST', '/api/authors', authorValues({ random })),
  ],
  [8, 'update an author', (world) => change(world, 'authors', authorValues)],
  [3, 'delete an author', (world) => remove(world, 'authors')],
  [
    3,
    'hide or publish an author',
    (world) => change(world, 'authors', ({ random }) => ({ publishedAt: random.oneIn(2) ? null : new Date() })),
  ],
  [
    5,
    'link posts from their author',
    (world) => change(world, 'authors', async () => ({ posts: await someIds(world, 'posts') })),
  ],
  [3, 'create a tag', (world) => write(world, 'POST', '/api/tags', { name: color(world) })],
  [
    4,
    'link posts from a tag',
    (world) => change(world, 'tags', async () => ({ name: color(world), posts: await someIds(world, 'posts') })),
  ],
  [
    4,
    'create a note',
    async (world) => write(world, 'POST', '/api/notes', { approved: true, post: await oneId(world, 'posts') }),
  ],
  [
    4,
    'update a note',
    (world) => change(world, 'notes', async () => ({ approved: world.random.oneIn(2), post: await oneId(world, 'posts') })),
  ],
  [
    4,
    'write many past the API',
    async (world) =>
      rows(world, 'posts').updateMany(
        { _id: { $gt: 0 }, rating: world.random.below(6) },
        { $set: { rating: world.random.below(6) } },
      ),
  ],
  [3, 'replace past the API', replacePastApi],
  [
    2,
    'delete past the API',
    async (world) => rows(world, world.random.of(['posts', 'authors', 'tags'])).deleteOne({ _id: { $gt: 0 } }),
  ],
  [4, 'hold a transaction open', holdOpen],
  [4, 'end the transaction', endOpen],
  [2, 'change the rules', changeRules],
  [1, 'change the rights', changeRights],
  [1, 'change the model', changeModel],
  [1, 'renew the token', ({ instances }) => instances.renewToken()],
  [1, 'let another instance write the log', ({ instances }) => claims(instances).deleteOne({ _id: 'job change log' })],
  [1, 'replace a collection', replaceCollection],
];

const total = operations.reduce((sum, [weight]) => sum + weight, 0);

/** Runs an operation. Returns its name. */
export async function operate(world: World): Promise<string> {
  let left = world.random.below(total);
  for (const [weight, name, run] of operations) {
    left -= weight;
    if (left >= 0) continue;
    await run(world);
    return name;
  }
  return 'nothing';
}
