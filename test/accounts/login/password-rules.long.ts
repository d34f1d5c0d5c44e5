import { expect } from 'chai';
import { storedCode } from '#accounts/login/passwords.js';
import type { Strapi } from '#index.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { userUid } from '../user-model.js';

/** Passwords at the edges of the rules, and a part of the message that refuses them; null if they are accepted. */
const passwords: readonly (readonly [what: string, password: string, problem: string | null])[] = [
  ['too short by one', 'a'.repeat(5), 'at least 6 characters'],
  ['of the minimum', 'a'.repeat(6), null],
  ['of 72 bytes', 'é'.repeat(36), null],
  ['of 74 bytes', 'é'.repeat(37), 'at most 72 bytes'],
  ['with NUL', 'aaaaaa\0a', 'NUL'],
];

interface Outcome {
  readonly username: string;
  /** The message of the refusal, with those of its details. */
  readonly refusal: string | null;
}

/** A user to whom a password is given. */
interface Subject {
  readonly id: number;
  readonly username: string;
  readonly jwt: string;
}
type Give = (serving: ServingAccounts, password: unknown, strapi: Strapi) => Promise<Outcome>;

const first = 'a first password';
let count = 0;
const nameOf = (): string => `user${String((count += 1))}`;

async function subject(serving: ServingAccounts): Promise<Subject> {
  const username = nameOf();
  const made = await serving.admin('POST', '/users', {
    username,
    email: `${username}@mail.test`,
    password: first,
    role: 1,
    confirmed: true,
  });
  const { body } = await serving.as(null, 'POST', '/api/auth/local', { identifier: username, password: first });
  return { id: made.body.data.id as number, username, jwt: body.jwt as string }; // as documented
}

/** Returns the text of an error in an answer of REST or GraphQL; null if there is none. */
function refusalIn({ body }: Awaited<ReturnType<ServingAccounts['as']>>): string | null {
  const error = body?.error ?? body?.errors?.[0] ?? null;
  return error === null ? null : JSON.stringify(error);
}

const post =
  (path: string, token: (serving: ServingAccounts) => Promise<string | null> = () => Promise.resolve(null)) =>
  async (serving: ServingAccounts, password: unknown): Promise<Outcome> => {
    const username = nameOf();
    const body = {
      username,
      email: `${username}@mail.test`,
      password,
      ...(path.startsWith('/api/auth') ? {} : { role: 1, confirmed: true }),
    };
    return { username, refusal: refusalIn(await serving.as(await token(serving), 'POST', path, body)) };
  };

const keys = new WeakMap<ServingAccounts, string>();
async function keyOf(serving: ServingAccounts): Promise<string> {
  const key =
    keys.get(serving) ??
    ((await serving.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey as string);
  keys.set(serving, key);
  return key;
}

/** Changes the password of a new user. */
const change =
  (send: (serving: ServingAccounts, user: Subject, password: unknown) => ReturnType<ServingAccounts['as']>): Give =>
  async (serving, password) => {
    const user = await subject(serving);
    return { username: user.username, refusal: refusalIn(await send(serving, user, password)) };
  };

const reset = async ({ database }: ServingAccounts, { id }: Subject): Promise<string> => {
  const code = `code-${String(id)}`;
  const set = { resetPasswordToken: storedCode(code, 60) };
  await database.db.collection<{ _id: number }>('up_users').updateOne({ _id: id }, { $set: set });
  return code;
};
const inCode = async (username: string, work: () => Promise<unknown>): Promise<Outcome> =>
  work().then(
    () => ({ username, refusal: null }),
    (error: unknown) => ({ username, refusal: `${String(error)} ${JSON.stringify((error as { details?: unknown }).details)}` }),
  );

const ways: Readonly<Record<string, Give>> = {
  'a registration': post('/api/auth/local/register'),
  'a registration over GraphQL': async (serving, password) => {
    const username = nameOf();
    const query = 'mutation ($input: UsersPermissionsRegisterInput!) { register(input: $input) { jwt } }';
    const variables = { input: { username, email: `${username}@mail.test`, password } };
    return { username, refusal: refusalIn(await serving.as(null, 'POST', '/graphql', { query, variables })) };
  },
  'a new user': post('/api/users', keyOf),
  'a new user of an administrator': async (serving, password) => {
    const username = nameOf();
    const user = { username, email: `${username}@mail.test`, password, role: 1, confirmed: true };
    const answer = await serving.admin('POST', '/users', user);
    return { username, refusal: answer.body?.error === undefined ? null : JSON.stringify(answer.body.error) };
  },
  'a new user over GraphQL': async (serving, password) => {
    const username = nameOf();
    const query = 'mutation ($data: UsersPermissionsUserInput!) { createUsersPermissionsUser(data: $data) { data { id } } }';
    const variables = { data: { username, email: `${username}@mail.test`, password, role: '1', confirmed: true } };
    return { username, refusal: refusalIn(await serving.as(await keyOf(serving), 'POST', '/graphql', { query, variables })) };
  },
  'a change of a user': change(async (serving, { id }, password) =>
    serving.as(await keyOf(serving), 'PUT', `/api/users/${String(id)}`, { password }),
  ),
  'a change by the user': change((serving, { id, jwt }, password) =>
    serving.as(jwt, 'PUT', `/api/users/${String(id)}`, { password }),
  ),
  'a change over GraphQL': change(async (serving, { id }, password) => {
    const query =
      'mutation ($id: ID!, $data: UsersPermissionsUserInput!) { updateUsersPermissionsUser(id: $id, data: $data) { data { id } } }';
    return serving.as(await keyOf(serving), 'POST', '/graphql', { query, variables: { id, data: { password } } });
  }),
  'a change of the password': change((serving, { jwt }, password) =>
    serving.as(jwt, 'POST', '/api/auth/change-password', { password, passwordConfirmation: password, currentPassword: first }),
  ),
  'a reset of the password': change(async (serving, user, password) => {
    const code = await reset(serving, user);
    return serving.as(null, 'POST', '/api/auth/reset-password', { password, passwordConfirmation: password, code });
  }),
  'project code': (_serving, password, strapi) => {
    const username = nameOf();
    const data = { username, email: `${username}@mail.test`, provider: 'local', password, role: 1, confirmed: true };
    return inCode(username, () => strapi.entityService.create(userUid, { data }));
  },
};

describe('the rules of the password of users', () => {
  let serving: ServingAccounts;
  const held: Strapi[] = [];
  before(async () => {
    serving = await serveAccounts({ bootstrap: ({ strapi }) => void held.push(strapi) });
    const permissions = serving.database.db.collection<{ _id: number }>('up_permissions');
    await permissions.insertOne(Object.assign({ _id: 900 }, { action: 'plugin::users-permissions.user.update', role: 1 }));
    await serving.settled();
  });
  after(() => serving.stop());

  for (const [way, give] of Object.entries(ways))
    for (const [what, password, problem] of passwords)
      it(`hold in ${way}, for one ${what}`, async () => {
        const [strapi] = held;
        if (strapi === undefined) throw new Error('the service has not started');
        const { username, refusal } = await give(serving, password, strapi);
        if (problem === null) expect(refusal).to.equal(null);
        else expect(refusal).to.include(problem);
        const { status } = await serving.as(null, 'POST', '/api/auth/local', { identifier: username, password });
        expect(status).to.equal(problem === null ? 200 : 400);
      });
});
