import { asWriter } from '../../accounts/user-store.js';
import { updateUser } from '../../accounts/users/change-user.js';
import { createUser } from '../../accounts/users/users.js';
import type { ContentContext } from '../../content/content-context.js';
import { accountsOf, type Running } from '../../http/running.js';
import { parseLinkInput, comingIn } from '../../schema/link-input.js';
import type { Values } from '../../values.js';

/** The service, and the context of an administrator. The data was checked by their permissions before. */
interface UserWriting {
  readonly running: Running;
  readonly context: ContentContext;
}

/** Creates a user of the content API, with the default role unless the data names another one, and returns the id. */
export async function createUserEntry(data: Values, { running, context }: UserWriting): Promise<number> {
  const accounts = accountsOf(running);
  const { advanced } = await accounts.authenticator.settings();
  const role = (await accounts.authenticator.roles()).byType.get(advanced.default_role)?.id;
  const values = namesRole(data) ? data : { ...data, role };
  return createUser(accounts, values, { content: asWriter(context) });
}

function namesRole({ role }: Values): boolean {
  const input = role === undefined ? null : parseLinkInput(role, 'plugin::users-permissions.role');
  return input !== null && comingIn(input).length > 0;
}

/** Changes a user like the content API does: a new password ends all sessions, and names stay unique. */
export function updateUserEntry(id: number, data: Values, { running, context }: UserWriting): Promise<void> {
  const caller = { kind: 'public', access: context.bind.access, publicRoleIsEmpty: false, ended: null } as const;
  return updateUser(accountsOf(running), { id }, data, { caller, content: asWriter(context) });
}
