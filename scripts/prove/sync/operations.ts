import { MongoError } from 'mongodb';
import { changeModel, changeRights, changeRole, changeRules, changeUser } from './access-operations.js';
import { importAuthors } from './import-authors.js';
import type { Scene, World } from './world.js';

/** Posts up to this id are written only by transactions that are held open, so that nobody waits for them. */
const lastHeld = -1_000;

type Operate = (scene: Scene) => Promise<unknown>;

const rows = ({ world }: Pick<Scene, 'world'>, name: string) => world.database.db.collection<{ _id: number }>(name);

const write = ({ world, random }: Scene, method: string, path: string, data: object): Promise<unknown> =>
  world.send(random.below(2), method, path, { data });

async function idsOf(scene: Scene, name: string): Promise<number[]> {
  const found = await rows(scene, name)
    .find({ _id: { $gt: 0 } }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id }) => _id);
}

const oneId = async (scene: Scene, name: string): Promise<number | null> => scene.random.maybe(await idsOf(scene, name)) ?? null;

const someIds = async (scene: Scene, name: string): Promise<number[]> =>
  (await idsOf(scene, name)).filter(() => scene.random.oneIn(3));

type Values = (scene: Scene) => object | Promise<object>;

const create =
  (name: string, values: Values): Operate =>
  async (scene) =>
    write(scene, 'POST', `/api/${name}`, await values(scene));

const change =
  (name: string, values: Values): Operate =>
  async (scene) => {
    const id = await oneId(scene, name);
    return id === null ? null : write(scene, 'PUT', `/api/${name}/${String(id)}`, await values(scene));
  };

const remove =
  (name: string): Operate =>
  async (scene) => {
    const id = await oneId(scene, name);
    return id === null ? null : write(scene, 'DELETE', `/api/${name}/${String(id)}`, {});
  };

const color = ({ random }: Pick<Scene, 'random'>): string => random.of(['red', 'blue', 'green']);

const authorValues = ({ random }: Pick<Scene, 'random'>): object => ({
  name: random.of(['Ann', 'Bob', 'Cid']),
  active: !random.oneIn(3),
});

async function postValues(scene: Scene): Promise<object> {
  const { random } = scene;
  const author = await oneId(scene, 'authors');
  return {
    title: `t${String(random.below(100))}`,
    rating: random.below(6),
    owner: 1 + random.below(2),
    ...(random.oneIn(2) && { author }),
    ...(random.oneIn(2) && { tags: await someIds(scene, 'tags') }),
    ...(random.oneIn(2) && { seo: random.oneIn(2) ? null : { title: color(scene), author } }),
    ...(random.oneIn(3) && { body: [{ __component: 'shared.seo', author }] }),
    ...(random.oneIn(4) && { cover: random.oneIn(3) ? null : 1 + random.below(3) }),
  };
}

async function localize(scene: Scene): Promise<unknown> {
  const id = await oneId(scene, 'posts');
  const { world, random } = scene;
  const body = { locale: 'fr', title: 'fr', publishedAt: random.oneIn(2) ? null : new Date() };
  return world.send(random.below(2), 'POST', `/api/posts/${String(id)}/localizations`, body);
}

async function replacePastApi(scene: Scene): Promise<unknown> {
  const _id = (await oneId(scene, 'posts')) ?? 999;
  const { random } = scene;
  const author = random.oneIn(2) ? 900 + random.below(3) : await oneId(scene, 'authors');
  const replacement = { title: 'past', rating: random.below(6), owner: 1, locale: 'en', publishedAt: new Date(0), author };
  if (random.oneIn(2))
    await rows(scene, 'authors').replaceOne(
      { _id: 900 + random.below(3) },
      { name: 'Ann', active: true, publishedAt: new Date(0) } as object,
      { upsert: true },
    );
  return rows(scene, 'posts').replaceOne({ _id }, replacement as object, { upsert: true });
}

async function holdOpen(scene: Scene): Promise<void> {
  if (scene.open !== null) return;
  const session = scene.world.database.client.startSession();
  session.startTransaction();
  scene.open = session;
  const _id = lastHeld - scene.random.below(1_000);
  const held = { title: 'held', locale: 'en', publishedAt: new Date(0), rating: 5, owner: 1 };
  const update = { $set: { rating: scene.random.below(6) } };
  await rows(scene, 'posts').updateMany({ _id: { $lte: lastHeld } }, update as object, { session });
  await rows(scene, 'posts').updateOne({ _id }, { $set: held } as object, { upsert: true, session });
}

/** Commits or aborts the transaction that is held open. */
export async function endOpen(scene: Scene): Promise<void> {
  const { open, random } = scene;
  scene.open = null;
  if (open === null) return;
  if (random.oneIn(4)) await open.abortTransaction().catch(() => undefined);
  else await open.commitTransaction().catch(() => undefined); // the server may have ended it
  await open.endSession();
}

async function replaceCollection(scene: Scene): Promise<void> {
  await endOpen(scene);
  const kept = await rows(scene, 'tags')
    .find({ _id: { $gt: 0 } })
    .toArray();
  await rows(scene, 'tags_new').deleteMany({});
  await rows(scene, 'tags_new').insertMany(
    [...kept, { _id: 5_000 + scene.random.below(1_000) }].filter(
      ({ _id }, index, all) => all.findIndex((one) => one._id === _id) === index,
    ),
  );
  await rows(scene, 'tags_new').rename('tags', { dropTarget: true });
}

/** Sends several writes in one request, in one transaction or each for itself. */
async function writeBatch(scene: Scene): Promise<unknown> {
  const { world, random } = scene;
  const ids = [await oneId(scene, 'posts'), await oneId(scene, 'posts')].filter((id) => id !== null);
  const created = [{ method: 'POST', path: '/posts', body: { data: await postValues(scene) } }];
  const changed = ids.map((id) => ({ method: 'PUT', path: `/posts/${String(id)}`, body: { data: { rating: random.below(6) } } }));
  const id = await oneId(scene, 'authors');
  const removed = id === null || !random.oneIn(3) ? [] : [{ method: 'DELETE', path: `/authors/${String(id)}` }];
  const body = { transaction: random.oneIn(2), requests: [...created, ...changed, ...removed] };
  return world.send(random.below(2), 'POST', '/api/batch', body);
}

async function changeFile(scene: Scene): Promise<unknown> {
  const { random } = scene;
  const _id = 1 + random.below(3);
  return random.oneIn(2)
    ? rows(scene, 'files').deleteOne({ _id })
    : rows(scene, 'files').replaceOne({ _id }, { name: 'again', mime: 'image/png' } as object, { upsert: true });
}

const changeLocale: Operate = ({ world, random }) =>
  world.admin('PUT', `/locales/${random.of(['en', 'fr'])}`, { isDefault: true }, random.below(2));

const letOtherWrite: Operate = ({ world }) =>
  world.database.db.collection<{ _id: string }>('_claims').deleteOne({ _id: 'job change log' });

async function revokeTokens({ user, database }: World): Promise<void> {
  user.tokenVersion += 1;
  const users = database.db.collection<{ _id: number }>('up_users');
  await users.updateOne({ _id: user.id }, { $set: { _tokenVersion: user.tokenVersion } });
}

const publication: Values = ({ random }) => ({ publishedAt: random.oneIn(2) ? null : new Date() });

const tagValues: Values = (scene) => ({ name: color(scene) });

const noteValues: Values = async (scene) => ({ approved: scene.random.oneIn(2), post: await oneId(scene, 'posts') });

const links: Values = async (scene) => ({ posts: await someIds(scene, 'posts') });

const writeManyPastApi: Operate = (scene) =>
  rows(scene, 'posts').updateMany(
    { _id: { $gt: 0 }, rating: scene.random.below(6) },
    { $set: { rating: scene.random.below(6) } },
  );

const deletePastApi: Operate = (scene) =>
  rows(scene, scene.random.of(['posts', 'authors', 'tags'])).deleteOne({ _id: { $gt: 0 } });

/** Operations with their weights. Between the writes of those that are not clear, it is not known what callers could read. */
const operations: readonly (readonly [weight: number, name: string, operate: Operate, isUnclear?: true])[] = [
  [10, 'create a post', create('posts', postValues)],
  [20, 'update a post', change('posts', postValues)],
  [6, 'delete a post', remove('posts')],
  [4, 'publish or hide a post', change('posts', publication)],
  [3, 'localize a post', localize],
  [4, 'create an author', create('authors', authorValues)],
  [8, 'update an author', change('authors', authorValues)],
  [3, 'delete an author', remove('authors')],
  [3, 'hide or publish an author', change('authors', publication)],
  [5, 'link posts from their author', change('authors', links)],
  [3, 'create a tag', create('tags', tagValues)],
  [4, 'link posts from a tag', change('tags', async (scene) => ({ ...(await tagValues(scene)), ...(await links(scene)) }))],
  [4, 'create a note', create('notes', async (scene) => ({ ...(await noteValues(scene)), approved: true }))],
  [4, 'update a note', change('notes', noteValues)],
  [4, 'write many past the API', writeManyPastApi],
  [3, 'replace past the API', replacePastApi],
  [2, 'delete past the API', deletePastApi],
  [4, 'hold a transaction open', holdOpen],
  [4, 'end the transaction', endOpen],
  [4, 'write a batch', writeBatch, true],
  [2, 'change a file', changeFile],
  [2, 'import authors', ({ world, random }) => importAuthors(world, random), true],
  [3, 'change the rules', changeRules],
  [2, 'change the rights', changeRights],
  [1, 'change the role of the user', changeRole],
  [1, 'block or admit the user', changeUser],
  [1, 'change the model', changeModel],
  [1, 'change the default locale', changeLocale],
  [3, 'let the token of the user expire', ({ world, random }) => Promise.resolve(world.user.expireIn(1 + random.below(2)))],
  [1, 'revoke the tokens of the user', ({ world }) => revokeTokens(world)],
  [1, 'replace the token of the clerk', ({ world }) => world.replaceClerk()],
  [2, 'let another instance write the log', letOtherWrite],
  [1, 'replace a collection', replaceCollection, true],
];

const total = operations.reduce((sum, [weight]) => sum + weight, 0);

/** An operation that was run. */
export interface Operated {
  readonly name: string;
  /** Whether all could read what they could before or after it, and nothing else in between. */
  readonly isClear: boolean;
}

/** Runs an operation. It may fail while a primary is elected. */
export async function operate(scene: Scene): Promise<Operated> {
  let left = scene.random.below(total);
  for (const [weight, name, run, isUnclear] of operations) {
    left -= weight;
    if (left >= 0) continue;
    const isDone = await run(scene).then(() => true, unlessElecting);
    return { name, isClear: isDone && isUnclear !== true };
  }
  return { name: 'nothing', isClear: true };
}

/** Returns false for errors of a database that has no primary at the moment; others are thrown. */
function unlessElecting(error: unknown): false {
  if (error instanceof MongoError) return false;
  throw error;
}
