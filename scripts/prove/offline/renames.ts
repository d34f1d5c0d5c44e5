import { setTimeout as delay } from 'node:timers/promises';
import type { World } from '../sync/world.js';

type Model = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Milliseconds in which a rename must end when nothing disturbs it. */
const longestRename = 60_000;

const models = ({ database }: World) => database.db.collection<Model>('_models');

const settings = ({ database }: World) => database.db.collection<{ _id: string }>('_settings');

const modelOf = async (world: World, _id: string): Promise<Model> => {
  const model = await models(world).findOne({ _id });
  if (model === null) throw new Error(`there is no model ${_id}`);
  return model;
};

export const isRenaming = async (world: World, match: object = { phase: { $ne: 'done' } }): Promise<boolean> =>
  (await settings(world).findOne({ _id: /^rename-/, ...match } as never)) !== null;

type Attributes = Readonly<Record<string, { readonly renamedFrom?: string }>>;

/** The names of the title of a post. */
export const titles: readonly string[] = ['title', 'headline'];

/** Returns the names by which writes may call the title of a post, beginning with that of the model. */
export async function titleNames(world: World): Promise<readonly [string, ...string[]]> {
  const attributes = (await modelOf(world, 'api::post.post'))['attributes'] as Attributes;
  const name = titles.find((one) => one in attributes) ?? 'title';
  const former = attributes[name]?.renamedFrom;
  return former === undefined ? [name] : [name, former];
}

/** Returns the names under which the title of a post may be stored, the valid one first. */
export async function storedTitles(world: World): Promise<readonly string[]> {
  const names = await titleNames(world);
  return (await isRenaming(world, { kind: 'attribute', phase: 'copying' })) ? names.toReversed() : names;
}

/** Returns the singular name of the type of authors. */
export const authorType = async (world: World): Promise<'author' | 'writer'> =>
  (await models(world).findOne({ _id: 'api::writer.writer', renamedFrom: { $exists: true } })) === null ? 'author' : 'writer';

/** Gives the title of posts its other name. */
async function renameTitle(world: World): Promise<unknown> {
  const { _id, attributes } = await modelOf(world, 'api::post.post');
  const [from] = await titleNames(world);
  const to = from === 'title' ? 'headline' : 'title';
  const { [from]: title, ...others } = attributes as Attributes;
  return models(world).updateOne({ _id }, { $set: { attributes: { ...others, [to]: { ...title, renamedFrom: from } } } });
}

/** Gives the type of authors its other name. */
async function renameAuthors(world: World): Promise<unknown> {
  const name = await authorType(world);
  const to = name === 'author' ? 'writer' : 'author';
  const { _id, ...model } = await modelOf(world, `api::${name}.${name}`);
  await models(world).updateOne({ _id }, { $unset: { renamedFrom: 1 } });
  const info = { singularName: to, pluralName: `${to}s`, displayName: to };
  return models(world).replaceOne({ _id: `api::${to}.${to}` }, { ...model, info, renamedFrom: _id }, { upsert: true });
}

const renames = { title: renameTitle, author: renameAuthors } as const;

/** Begins to rename the title of posts, or the type of their authors. Returns which. */
export async function rename(world: World, what: keyof typeof renames): Promise<string> {
  await renames[what](world);
  return what;
}

/** Resolves when no rename is under way, and returns true; false if one does not end. */
export async function renamed(world: World): Promise<boolean> {
  const until = performance.now() + longestRename;
  await world.settled(); // all have heard of the last one
  while (await isRenaming(world)) {
    if (performance.now() > until) return false;
    await delay(100);
  }
  await world.settled();
  return true;
}
