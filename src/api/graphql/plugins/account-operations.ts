import { changePassword } from '#accounts/login/change-password.js';
import { confirmEmail } from '#accounts/login/confirm-email.js';
import type { LimitedRoute } from '#base/limits/attempts.js';
import { contextOfUser, logIn, type Session, logOut, refresh } from '#accounts/login/session.js';
import { loginProvider } from '#accounts/login/login-provider.js';
import { register } from '#accounts/login/register.js';
import { roleUid } from '#accounts/user-store.js';
import { forgotPassword, resetPassword } from '#accounts/login/reset-password.js';
import { createRole, deleteRole, updateRole } from '#accounts/roles/roles.js';
import { updateUser } from '#accounts/users/change-user.js';
import { createUser, deleteMe, deleteUser } from '#accounts/users/users.js';
import type { Accounts, AccountCall, Body } from '#accounts/accounts.js';
import { findMe, type Me } from '#accounts/users/find-me.js';
import { ApiError, applicationError, notFoundError } from '#base/errors.js';
import { countAttempt } from '#http/limit-requests.js';
import { accountsOf } from '#http/running.js';
import { maySee } from '#model/query/access.js';
import { emptyQuery } from '#model/query/ast.js';
import { isRecord, type Values } from '#base/values.js';
import { type GraphqlContext, noteMore } from '../graphql-context.js';

/** A mutation of accounts, with the arguments of the field. */
type Operation = (args: Values, context: GraphqlContext) => Promise<unknown>;

interface LoginPayload {
  readonly jwt: string | null;
  /** Null if refresh tokens are disabled. */
  readonly refreshToken: string | null;
  readonly user: Me;
}

/** Returns an operation that begins a session. Its attempts count together with those over REST. */
const session =
  (route: LimitedRoute, run: (accounts: Accounts, body: Body, call: AccountCall) => Promise<Session>, answer = payload) =>
  async (args: Values, context: GraphqlContext): Promise<LoginPayload> => {
    const accounts = accountsOf(context.running);
    const body = isRecord(args['input']) ? args['input'] : args;
    await countAttempt(context.koaContext, route, body, context.running);
    return answer(await run(accounts, body, callOf(context)).catch((error: unknown) => setHeaders(error, context)), context);
  };

const callOf = (context: GraphqlContext): AccountCall => ({ ...context, request: context.koaContext });

/** Sets the headers of an error, which say when to try again, and throws it. */
function setHeaders(error: unknown, { koaContext }: GraphqlContext): never {
  if (error instanceof ApiError) koaContext.set(error.headers);
  throw error;
}

/**
 * Logs in with a password. Logins by other providers must begin in a browser. Throws an ApplicationError for a disabled provider.
 */
async function logInHere(accounts: Accounts, body: Body, call: AccountCall): Promise<Session> {
  const provider = String(body['provider'] ?? '');
  if (provider === '' || provider === 'local') return logIn(accounts, body, call);
  await loginProvider(accounts, provider);
  throw applicationError('No access_token.');
}

const done = { ok: true };

/** The operations on accounts. They throw the same ApiErrors as REST. Those that write a user return its id. */
export const accountOperations = {
  login: session('login', logInHere),
  register: session('register', register, registered),
  resetPassword: session('reset-password', resetPassword),
  changePassword: session('change-password', changePassword),
  forgotPassword: async (args, context) => {
    const accounts = accountsOf(context.running);
    await countAttempt(context.koaContext, 'forgot-password', args, context.running);
    return forgotPassword(accounts, args, context);
  },
  // as in Strapi v4, the answer has the user from before the confirmation
  emailConfirmation: async (args, context) => {
    const { user, ...tokens } = await payload(await confirmEmail(accountsOf(context.running), args, callOf(context)), context);
    return { ...tokens, user: { ...user, confirmed: user.confirmed === null ? null : false } };
  },
  refresh: async (args, context) => {
    const { running, koaContext } = context;
    const countUse = (family: string): Promise<void> => countAttempt(koaContext, 'refresh', { family }, running);
    return payload(await refresh(accountsOf(running), args, { ...context, countUse }), context);
  },
  logout: async (args, context) => {
    await logOut(accountsOf(context.running), args, context);
    return done;
  },
  createRole: async (args, { content }) => {
    await createRole(dataOf(args), content);
    return done;
  },
  updateRole: async (args, { content }) => {
    await updateRole(Number(args['id']), dataOf(args), content);
    return done;
  },
  deleteRole: async (args, { content }) => {
    await deleteRole(Number(args['id']), content);
    return done;
  },
  createUser: (args, context) => createUser(accountsOf(context.running), dataOf(args), context),
  updateUser: async (args, context) => {
    await updateUser(accountsOf(context.running), { id: Number(args['id']) }, dataOf(args), context);
    return Number(args['id']);
  },
  deleteUser: (args, context) => deleteUser({ id: Number(args['id']) }, emptyQuery, context),
  me: async (_args, context) => {
    const { caller, content } = context;
    if (caller.kind !== 'user') throw new Error('Authentication requested');
    noteMore(context);
    return findMe(caller.user.id, content);
  },
  /** Returns the former content of the user. */
  deleteMe: async (_args, context) => {
    const me = context.caller.kind === 'user' ? await findMe(context.caller.user.id, context.content) : null;
    await deleteMe(emptyQuery, context);
    return me;
  },
} as const satisfies Readonly<Record<string, Operation>>;

/** Returns the data as an object with a prototype, because error messages would show that input objects have none. */
const dataOf = ({ data }: Values): Values => (isRecord(data) ? { ...data } : {});

async function payloadWithRole(session: Session, { content, running }: GraphqlContext): Promise<LoginPayload> {
  const user = await findMe(session.user.id, await contextOfUser(accountsOf(running), session, content));
  if (user === null) throw notFoundError('User not found');
  return { jwt: session.jwt, refreshToken: session.refreshToken, user };
}

async function payload(opened: Session, context: GraphqlContext): Promise<LoginPayload> {
  const { user, ...tokens } = await payloadWithRole(opened, context);
  return { ...tokens, user: { ...user, role: null } };
}

/** Returns the result of a registration. As in Strapi v4 it includes the role, if the caller may read roles. */
function registered(opened: Session, context: GraphqlContext): Promise<LoginPayload> {
  return maySee(context.content.bind.access, roleUid) ? payloadWithRole(opened, context) : payload(opened, context);
}
