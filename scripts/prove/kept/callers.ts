import type { Answer } from '../../../test/support/serve.js';

/** The types and the actions on them. */
const actionsOn = (names: readonly string[]): string[] =>
  names.flatMap((name) => ['find', 'findOne'].map((action) => `api::${name}.${name}.${action}`));

export const allActions = actionsOn(['post', 'author', 'tag', 'note']);

export const postUid = 'api::post.post';

/** Somebody who reads. */
export interface Caller {
  readonly name: string;
  /** Null: no credentials. */
  readonly token: string | null;
  /** What no answer to the caller may contain, whatever is written; null if its rights change. */
  readonly forbidden: RegExp | null;
}

export interface Callers {
  readonly all: readonly [Caller, ...Caller[]];
  /** The id of the user who is blocked and gets other roles. */
  readonly changing: number;
  /** The roles between which that user changes. Their rights change too. */
  readonly roles: readonly [number, number];
  /** The ids of all users, which posts have as their owner. */
  readonly users: readonly [number, ...number[]];
  /** The token that writes. */
  readonly writer: string;
}

type Admin = (method: string, path: string, body: object) => Promise<Answer>;
type LogIn = (username: string) => Promise<string>;

/** Rules of rows and fields of roles whose rights stay, and what they hide. */
const rules: Readonly<Record<string, readonly [rules: object, forbidden: RegExp | null]>> = {
  reader: [{}, null],
  blind: [{ fields: { [postUid]: { deny: ['secret'] } } }, /"secret"/],
  cheap: [{ rows: { [postUid]: { rating: { $lt: 3 } } } }, /"rating":[3-9]/],
  near: [{ rows: { [postUid]: { author: { active: { $eq: true } } } } }, null],
  owner: [{ rows: { [postUid]: { owner: { $eq: '$user.id' } } } }, null],
};

/** Creates the public's rights, users of all roles, and tokens. */
export async function createCallers(admin: Admin, logIn: LogIn): Promise<Callers> {
  const made: Caller[] = [{ name: 'public', token: null, forbidden: /"(secret|approved)"/ }];
  await admin('PUT', '/roles/2', { actions: [...actionsOn(['post', 'author']), 'plugin::users-permissions.auth.callback'] });
  await admin('PUT', '/roles/2/rules', { fields: { [postUid]: { deny: ['secret'] } } });
  const users: number[] = [];
  const addRole = async (name: string, own: object): Promise<number> => {
    const id = Number((await admin('POST', '/roles', { name, actions: allActions })).body.data.id);
    await admin('PUT', `/roles/${String(id)}/rules`, own);
    return id;
  };
  const addUser = async (username: string, role: number, forbidden: (id: number) => RegExp | null): Promise<number> => {
    const user = { username, email: `${username}@mail.test`, password: 'Passw0rd!', role, confirmed: true };
    const id = Number((await admin('POST', '/users', user)).body.data.id);
    made.push({ name: username, token: await logIn(username), forbidden: forbidden(id) });
    users.push(id);
    return id;
  };
  for (const [name, [own, forbidden]] of Object.entries(rules)) {
    const role = await addRole(name, own);
    for (const turn of ['1', '2']) await addUser(`${name}${turn}`, role, (id) => (name === 'owner' ? othersThan(id) : forbidden));
  }
  const roles = [await addRole('one', {}), await addRole('other', {})] as const;
  const changing = await addUser('changing', roles[0], () => null);
  const tokenOf = async (values: object): Promise<string> => String((await admin('POST', '/tokens', values)).body.data.accessKey);
  const few = await tokenOf({ name: 'few', type: 'custom', permissions: actionsOn(['post']) });
  made.push({ name: 'few', token: few, forbidden: /"(approved|active)"/ });
  made.push({ name: 'all', token: await tokenOf({ name: 'all', type: 'read-only' }), forbidden: null });
  const writer = await tokenOf({ name: 'writer', type: 'full-access' });
  return { all: made as unknown as Callers['all'], changing, roles, users: users as unknown as Callers['users'], writer };
}

/** Matches a post that another user owns, or nobody. */
const othersThan = (id: number): RegExp => new RegExp(`"owner":(?!${String(id)}[,}])`);
