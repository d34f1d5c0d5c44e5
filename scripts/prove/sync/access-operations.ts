import { allActions, roles, type Scene } from './world.js';

const post = 'api::post.post';

/** Changes the rules of a role. */
export function changeRules({ world, random }: Scene): Promise<unknown> {
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
  return world.admin('PUT', `/roles/${random.of(roles)}/rules`, rules, random.below(2));
}

export function changeRights({ world, random }: Scene): Promise<unknown> {
  const actions = random.oneIn(2) ? allActions : allActions.filter((_name, index) => index === 0 || !random.oneIn(3));
  return world.admin('PUT', `/roles/${random.of(roles)}`, { actions }, random.below(2));
}

export const changeRole = ({ world, random }: Scene): Promise<unknown> => setUser(world, { role: 1 + random.below(2) });

export const changeUser = ({ world, random }: Scene): Promise<unknown> => setUser(world, { blocked: random.oneIn(3) });

const setUser = ({ database, user }: Scene['world'], values: object): Promise<unknown> =>
  database.db.collection<{ _id: number }>('up_users').updateOne({ _id: user.id }, { $set: values });

export const changeModel = ({ world, random }: Scene): Promise<unknown> =>
  world.database.db
    .collection<{ _id: string }>('_models')
    .updateOne(
      { _id: post },
      random.oneIn(2) ? { $set: { 'attributes.extra': { type: 'string' } } } : { $unset: { 'attributes.extra': 1 } },
    );
