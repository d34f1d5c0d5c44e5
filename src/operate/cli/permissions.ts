import type { Role } from '#content/rights/role.js';
import { grantActions, revokeActions } from '#accounts/roles/grant-actions.js';
import { features } from '#features.js';
import { featureActions } from '#http/feature.js';
import { grantableActions } from '#http/running.js';
import { didYouMean } from '#base/nearest-name.js';
import { inspectCode } from './inspect-project.js';
import { findRole, readRolesByType, type OpenedService } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { requiredArgument, taking } from './usage-error.js';
import { print, printError } from './print.js';
import { describeUnstored, hasCode } from './project-folder.js';

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
  await grantActions(role.id, actions, service.content.store);
  for (const action of actions) print(`${role.type} may ${action}`);
};

const revoke: Command = async (service, [type, ...patterns]) => {
  const role = await roleFor(service, type, patterns);
  const actions = matching([...role.actions], patterns);
  await revokeActions(role.id, actions, service.content.store);
  for (const action of actions) print(`${role.type} may no longer ${action}`);
};

function roleFor(service: OpenedService, type: string | undefined, patterns: readonly string[]): Promise<Role> {
  const word = requiredArgument(type, 'a role');
  requiredArgument(patterns[0], 'an action');
  return findRole(service, word);
}

export const run = serviceCommands('permissions', { list: taking(1, list), grant: changing(grant), revoke: changing(revoke) });

/** Returns all actions that can be granted: those of the service, and those in the code of the project in the working directory. */
export async function readActions({ config, content, store }: OpenedService): Promise<readonly string[]> {
  const { registry } = content.bind;
  const { directory } = config;
  const ofFeatures = featureActions(features, config);
  if (!hasCode(directory)) return grantableActions({ actions: ofFeatures }, registry);
  const unstored = await describeUnstored(directory, store.database);
  if (unstored !== null) printError(unstored);
  const { actions } = await inspectCode({ directory, config, registry });
  return grantableActions({ actions: ofFeatures, projectActions: () => actions }, registry);
}

/** Returns the actions that patterns match, such as `api::article.article.*`. Throws an Error for a pattern without any. */
export function matching(actions: readonly string[], patterns: readonly string[]): string[] {
  const found = patterns.map((pattern) => actions.filter((action) => fits(action, pattern)));
  const without = patterns.find((_, index) => found[index]?.length === 0);
  if (without !== undefined) throw new Error(`no action is called ${without}${didYouMean(without, actions)}`);
  return [...new Set(found.flat())];
}

const fits = (action: string, pattern: string): boolean =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
