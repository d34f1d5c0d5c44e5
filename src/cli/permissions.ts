import { activePlugins, knownActions } from '../access/known-actions.js';
import { readRoles } from '../access/read-roles.js';
import type { Role } from '../access/role.js';
import { grantActions, revokeActions } from '../accounts/grant-actions.js';
import { didYouMean } from '../nearest-name.js';
import type { OpenedService } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';

export const usage = `usage: npx mangrove permissions <command>
  list [ROLE]                what each role may do, or one of them
  grant ROLE ACTION...       api::article.article.find, or 'api::article.article.*', or '*' for all
  revoke ROLE ACTION...`;

const list: Command = async (service, [type]) => {
  const roles = await readRolesByType(service);
  for (const role of type === undefined ? roles.values() : [pick(roles, type)])
    for (const action of [...role.actions].sort()) console.log(`${role.type}\t${action}`);
};

const grant: Command = async (service, [type, ...patterns]) => {
  const role = await findRole(service, type, patterns);
  const actions = matching(allActions(service), patterns);
  await grantActions(role.id, actions, service.content);
  for (const action of actions) console.log(`${role.type} may ${action}`);
};

const revoke: Command = async (service, [type, ...patterns]) => {
  const role = await findRole(service, type, patterns);
  const actions = matching([...role.actions], patterns);
  await revokeActions(role.id, actions, service.content);
  for (const action of actions) console.log(`${role.type} may no longer ${action}`);
};

async function findRole(service: OpenedService, type: string | undefined, patterns: readonly string[]): Promise<Role> {
  if (type === undefined || patterns.length === 0) throw new Error(usage);
  return pick(await readRolesByType(service), type);
}

const readRolesByType = async ({ store }: OpenedService): Promise<ReadonlyMap<string, Role>> =>
  (await readRoles(store.database)).byType;

function pick(roles: ReadonlyMap<string, Role>, type: string): Role {
  const role = roles.get(type);
  if (role === undefined) throw new Error(`there is no role ${type}; there are: ${[...roles.keys()].join(', ')}`);
  return role;
}

const allActions = ({ config, content }: OpenedService): string[] => knownActions(content.bind.registry, activePlugins(config));

function matching(actions: readonly string[], patterns: readonly string[]): string[] {
  const found = patterns.map((pattern) => actions.filter((action) => fits(action, pattern)));
  const without = patterns.find((_, index) => found[index]?.length === 0);
  if (without !== undefined) throw new Error(`no action is called ${without}${didYouMean(without, actions)}`);
  return [...new Set(found.flat())];
}

const fits = (action: string, pattern: string): boolean =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;

export const run = serviceCommands('permissions', { list, grant: changing(grant), revoke: changing(revoke) });
