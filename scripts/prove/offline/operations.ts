import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '../../../src/client/offline/offline.js';
import { changeModel, changeRights, changeRules, changeUser } from '../sync/access-operations.js';
import type { Scene } from '../sync/world.js';
import type { Device } from './device.js';
import type { Ledger } from './ledger.js';
import { authorType, titleNames, titles } from './renames.js';

/** What operations of a device work on. */
export interface Trip {
  readonly scene: Scene;
  readonly device: Device;
  readonly ledger: Ledger;
  /** Returns a number that no other call returns. */
  readonly next: () => number;
}

type Shown = Readonly<Record<string, unknown>> & { readonly id: Id };

async function shown({ device, scene }: Trip, type: string): Promise<Shown | undefined> {
  return scene.random.maybe((await device.offline.list(type)) as readonly Shown[]);
}

/** Returns a title that is new, under any of its names. */
async function newTitle({ scene, next }: Trip): Promise<object> {
  return { [scene.random.of(await titleNames(scene.world))]: `t${String(next())}` };
}

async function createPost(trip: Trip): Promise<void> {
  const { device, ledger, next, scene } = trip;
  const { random } = scene;
  const mark = next();
  const author = random.oneIn(2) ? (await shown(trip, device.authors))?.id : undefined;
  ledger.created.add(mark);
  await device.offline.create('posts', {
    ...(await newTitle(trip)),
    rating: mark,
    ...(author !== undefined && { author }),
    ...(random.oneIn(6) && { publishedAt: null }),
    ...(random.oneIn(6) && { locale: 'fr' }),
    ...(random.oneIn(3) && { cover: new File(['tide'], `cover ${String(mark)}.txt`, { type: 'text/plain' }) }),
  });
}

async function updatePost(trip: Trip): Promise<void> {
  const post = await shown(trip, 'posts');
  const author = trip.scene.random.oneIn(3) ? ((await shown(trip, trip.device.authors))?.id ?? null) : undefined;
  const values = { ...(await newTitle(trip)), ...(author !== undefined && { author }) };
  if (post !== undefined) await trip.device.offline.update('posts', post.id, values);
}

async function increment(trip: Trip): Promise<void> {
  const post = await shown(trip, 'posts');
  const by = 1 + trip.scene.random.below(3);
  if (typeof post?.['rating'] !== 'number') return;
  trip.ledger.add(post['rating'], by);
  trip.device.marks.set(String(post.id), post['rating']);
  await trip.device.offline.increment('posts', post.id, { owner: by });
}

async function deletePost(trip: Trip): Promise<void> {
  const post = await shown(trip, 'posts');
  if (post === undefined) return;
  trip.ledger.deleted.add(Number(post['rating']));
  await trip.device.offline.delete('posts', post.id);
}

async function updateAuthor(trip: Trip): Promise<void> {
  const { authors, offline } = trip.device;
  const author = await shown(trip, authors);
  if (author !== undefined) await offline.update(authors, author.id, { name: `n${String(trip.next())}` });
}

const createAuthor = ({ device, next }: Trip): Promise<unknown> =>
  device.offline.create(device.authors, { name: `n${String(next())}`, active: true });

async function linkTag(trip: Trip): Promise<void> {
  const post = await shown(trip, 'posts');
  const tag = (await trip.scene.world.database.db.collection('tags').findOne({ _id: { $gt: 0 } as never }))?._id as unknown;
  if (post === undefined || typeof tag !== 'number') return;
  const way = trip.scene.random.oneIn(2) ? 'add' : 'remove';
  await trip.device.offline[way]('posts', post.id, { tags: [tag] });
}

/** Somebody else writes over REST. */
async function writeOverRest({ scene, ledger, next }: Trip): Promise<void> {
  const { world, random } = scene;
  const posts = await world.database.db
    .collection<{ _id: number }>('posts')
    .find({ _id: { $gt: 0 } })
    .toArray();
  const id = String(random.maybe(posts)?._id ?? 0);
  const text = next();
  const ways = [
    () => world.send(0, 'PUT', `/api/posts/${id}`, { data: { title: `r${String(text)}` } }),
    () => world.send(1, 'PUT', `/api/posts/${id}`, { data: { publishedAt: random.oneIn(2) ? null : new Date() } }),
    () => world.send(0, 'POST', '/api/posts', { data: { title: `r${String(text)}`, rating: text } }),
    () => world.send(1, 'POST', '/api/tags', { data: { name: 'red' } }),
    async () => world.send(1, 'POST', `/api/${await authorType(world)}s`, { data: { name: `r${String(text)}`, active: true } }),
    () => world.send(0, 'POST', `/api/posts/${id}/localizations`, { locale: 'fr', title: `r${String(text)}` }),
    () => {
      for (const post of posts) if (String(post._id) === id) ledger.deleted.add(Number(Reflect.get(post, 'rating')));
      return world.send(0, 'DELETE', `/api/posts/${id}`);
    },
  ] as const;
  ledger.note(`r${String(text)}`);
  await random
    .of(ways)()
    .catch(() => undefined); // the instance was just killed
}

/** Ends the app, and starts its newest version. */
async function restart({ device, scene }: Trip): Promise<void> {
  device.authors = `${await authorType(scene.world)}s`;
  device.kill();
}

/** The app is killed while it pushes. */
async function killWhilePushing({ device, scene }: Trip): Promise<void> {
  const pushing = device.try(device.offline.push()).catch(() => null);
  await delay(scene.random.below(30));
  device.kill();
  await pushing;
}

const push = ({ device }: Trip): Promise<unknown> => device.try(device.offline.push());
const pull = ({ device }: Trip): Promise<unknown> => device.try(device.offline.pull());

function losePush(trip: Trip): Promise<unknown> {
  trip.device.loses = trip.scene.random.oneIn(2) ? 'before' : 'after';
  return push(trip);
}

const enterTunnel = ({ device, scene }: Trip): void => {
  device.isCut = scene.random.oneIn(2);
};

/** Decides about some conflicts and refusals, as a user does. */
export async function decide({ device, scene, ledger, next }: Trip): Promise<void> {
  const { random } = scene;
  for (const { key, conflicts = {} } of await device.offline.conflicts()) {
    const text = `t${String(next())}`;
    const values = Object.fromEntries(
      Object.keys(conflicts).flatMap((name) => ([...titles, 'name'].includes(name) ? [[name, text]] : [])),
    );
    await device.offline.resolve(key, random.maybe<'mine' | 'theirs' | typeof values>(['mine', 'theirs', values]) ?? 'mine');
  }
  for (const { key, id, op, set, increment: added } of await device.offline.refused()) {
    const mark = Number(set?.['rating']?.to ?? ((await device.offline.get('posts', id)) as Shown | null)?.['rating'] ?? NaN);
    if (op === 'create') ledger.created.delete(mark);
    if (added?.['owner'] !== undefined) ledger.add(device.marks.get(String(id)) ?? NaN, -added['owner']);
    await device.offline.drop(key);
  }
}

type Operate = (trip: Trip) => unknown;

/** Operations with their weights. */
export const operations: readonly (readonly [weight: number, name: string, operate: Operate])[] = [
  [8, 'create a post', createPost],
  [12, 'update a post', updatePost],
  [8, 'increment', increment],
  [3, 'delete a post', deletePost],
  [4, 'create an author', createAuthor],
  [4, 'update an author', updateAuthor],
  [4, 'link a tag', linkTag],
  [10, 'write over REST', writeOverRest],
  [14, 'push', push],
  [14, 'pull', pull],
  [4, 'lose a push', losePush],
  [3, 'kill the app', restart],
  [3, 'kill the app while it pushes', killWhilePushing],
  [5, 'enter or leave a tunnel', enterTunnel],
  [6, 'go to the other tab', ({ device }) => device.switchTabs()],
  [4, 'decide', decide],
  [2, 'change the rules', ({ scene }) => changeRules(scene)],
  [2, 'change the rights', ({ scene }) => changeRights(scene)],
  [1, 'block or admit the user', ({ scene }) => changeUser(scene)],
  [1, 'change the model', ({ scene }) => changeModel(scene)],
];
