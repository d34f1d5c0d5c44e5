import type { Role } from '../auth/role.js';
import { grantActions, revokeActions } from '../accounts/roles/grant-actions.js';
import { findRole, readRolesByType, type OpenedService } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { required } from './usage-error.js';
import { print } from './print.js';
import { matching, readActions } from './read-actions.js';

export const usage = `usage: npx mangrove permissions <command>
  list [ROLE]                print the actions of all roles, or of one
  grant ROLE ACTION...       api::article.article.find, or 'api::article.article.*', or '*' for all
  revoke ROLE ACTION...`;

const list: Command = async (service, [type]) => {
  const roles = type === undefined ? [...(await readRolesByType(service)).values()] : [await findRole(service, type)];
  for (const role of roles) for (const action of [...role.actions].sort()) print(`${role.type}\t${action}`);
};

const grant: Command = async (service, [type, ...patterns]) => {
  const role = await roleFor(service, type, patterns);
  const actions = matching(await readActions(service), patterns);
  await grantActions(role.id, actions, service.content);
  for (const action of actions) print(`${role.type} may ${action}`);
};

const revoke: Command = async (service, [type, ...patterns]) => {
  const role = await roleFor(service, type, patterns);
  const actions = matching([...role.actions], patterns);
  await revokeActions(role.id, actions, service.content);
  for (const action of actions) print(`${role.type} may no longer ${action}`);
};

function roleFor(service: OpenedService, type: string | undefined, patterns: readonly string[]): Promise<Role> {
  const word = required(type, 'a role');
  required(patterns[0], 'an action');
  return findRole(service, word);
}

export const run = serviceCommands('permissions', { list, grant: changing(grant), revoke: changing(revoke) });
