import { roleAccess } from '#content/rights/role-access.js';
import type { Role } from '#content/rights/role.js';
import { type ContentContext, withAccess } from '#content/content-context.js';
import { acceptInput } from '#content/accept-write.js';
import { checkBody } from '#content/check-body.js';
import { runCreate } from '#content/create.js';
import { refuseOrLog, type Undone, unknownValue } from '#content/refuse-or-log.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { fullAccess } from '#model/query/access.js';
import type { ApiError } from '#base/errors.js';
import { applicationError, hasCode } from '#base/errors.js';
import { emptyQuery } from '#model/query/ast.js';
import { addedAs } from '#model/schema/added-attributes.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { readTexts } from '../check-fields.js';
import { claimNames, findNameConflict } from '../claim-names.js';
import { sendConfirmation } from './confirm-email.js';
import { openSession, type Session } from './session.js';
import { asService, findStoredUser, noteOnUser, permitted, roleUid, type StoredUser, userType } from '../user-store.js';

const fields = { email: ['email', 'required'], username: ['required'], password: ['required'] } as const;

/** Attributes that a client cannot set when it registers a user, besides those that the service has added. */
const reserved: ReadonlySet<string> = new Set([
  'confirmed',
  'blocked',
  'confirmationToken',
  'resetPasswordToken',
  'provider',
  'id',
  'role',
]);

const isReserved = (type: ContentType, name: string): boolean => reserved.has(name) || addedAs(type, name) !== null;

const taken = (): ApiError => applicationError('Email or Username are already taken');

/** Registers a user with the default role. Throws an ApplicationError or a ValidationError. */
export async function register(accounts: Accounts, body: Body, call: AccountCall): Promise<Session> {
  const { advanced } = await accounts.authenticator.settings();
  if (!advanced.allow_register) throw applicationError('Register action is currently disabled');
  const { email, username } = readTexts(body, fields, 'ignored');
  const role = (await accounts.authenticator.roles()).byType.get(advanced.default_role);
  if (role === undefined) throw applicationError('Impossible to find the default role');
  const data = {
    ...pickAllowed(accounts, body, { role, content: call.content }),
    email: email.toLowerCase(),
    username,
    password: body['password'],
    provider: 'local',
    role: role.id,
    confirmed: !advanced.email_confirmation,
  };
  const names = { email: data.email, username };
  const user = await claimNames(names, call.content, taken, async () => {
    const others = { except: null, sharedAddress: false, onlyLocal: !advanced.unique_email };
    if ((await findNameConflict(names, others, call.content)) !== null) throw taken();
    return insertUser(userType(call.content), data, call);
  });
  if (!advanced.email_confirmation) return openSession(accounts, user, call);
  sendConfirmation(accounts, user, call.content);
  return { user, jwt: null, refreshToken: null };
}

/** Returns the attributes besides name, address and password that a registration may set: the listed ones, or those that are public. */
export const registrationAttributes = (type: ContentType, allowedFields: readonly string[] | null): readonly string[] =>
  [...type.attributes.values()].flatMap(({ name, private: hidden, writable }) => {
    const isAllowed = allowedFields === null ? writable && !hidden : allowedFields.includes(name);
    return isAllowed && !isReserved(type, name) && !Object.hasOwn(fields, name) ? [name] : [];
  });

/** The role of a new user, and the context of the registration. */
interface Registering {
  readonly role: Role;
  readonly content: ContentContext;
}

/**
 * Returns the other attributes that the client may set. Field rules of the new user's role hold. Relations of attributes that the
 * configuration does not list may lead only to types that the caller may see.
 */
function pickAllowed({ config }: Accounts, body: Body, { role, content }: Registering): Body {
  const { allowedFields } = config.plugins['users-permissions'].config.register;
  const type = userType(content);
  const names = registrationAttributes(type, allowedFields);
  const picked = names.flatMap((name) => (Object.hasOwn(body, name) ? [[name, body[name]] as const] : []));
  refuseOrLog(unregistered(type, body, names, content), content);
  const { hidden } = roleAccess(role, null, content.bind);
  const accepting = allowedFields === null ? content : seeingAllTypes(content);
  return permitted(acceptInput(type, Object.fromEntries(picked), accepting), hidden, content);
}

/**
 * Returns what a body has besides the attributes that a registration may set. Names that users do not have are ignored, except in
 * strict mode.
 */
function unregistered(
  type: ContentType,
  body: Body,
  allowed: readonly string[],
  { bind }: Pick<ContentContext, 'bind'>,
): readonly Undone[] {
  const others = Object.keys(body).filter((name) => !allowed.includes(name) && !Object.hasOwn(fields, name));
  return others.flatMap((name) => {
    if (!type.attributes.has(name)) return bind.settings.strict ? [unknownValue(name, type, [name])] : [];
    const remedy = isReserved(type, name)
      ? 'remove it from the body'
      : 'list it in register.allowedFields, or remove it from the body';
    return [{ path: [name], message: `${name} of a user is not set by a registration`, remedy }];
  });
}

/** Returns the context with all actions. The rules of the caller stay in force. */
const seeingAllTypes = (content: ContentContext): ContentContext => {
  const { access } = content.bind;
  return withAccess(content, { ...access, grants: fullAccess.grants });
};

/** Inserts a user. Row rules of the caller apply to the entries that the user links to, not to the user. */
async function insertUser(type: ContentType, data: Body, { content }: AccountCall): Promise<StoredUser> {
  const insert = async (): Promise<LoadedEntry> => {
    await checkBody(type, data, { mode: 'create', draft: false, id: null }, registering(content));
    return runCreate(type, data, { query: emptyQuery, selection: nothing, source: null }, asService(content));
  };
  const nothing = { type, fields: [], children: [], locales: null };
  const { document } = await insert().catch((error: unknown) => {
    // The index on user names decides between simultaneous registrations.
    throw hasCode(error, 'not-unique') ? taken() : error;
  });
  const match = { _id: document['_id'] };
  const isChosen = data['confirmed'] === true; // nobody confirms this address
  const user = await (isChosen ? noteOnUser(content, match, { set: { _chosenEmail: true } }) : findStoredUser(content, match));
  if (user === null) throw taken(); // deleted at the same time
  return user;
}

/**
 * Returns the context in which the body is checked. Entries that the caller's rules hide cannot be linked, except the default
 * role.
 */
function registering(content: ContentContext): ContentContext {
  const { access } = content.bind;
  const rules = new Map([...access.rules].filter(([uid]) => uid !== roleUid));
  return withAccess(content, { ...access, rules });
}
