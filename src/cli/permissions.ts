import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { knownActions } from '../auth/known-actions.js';
import type { Role } from '../auth/role.js';
import { grantActions, revokeActions } from '../accounts/roles/grant-actions.js';
import { features } from '../features.js';
import { featureActions } from '../http/feature.js';
import { didYouMean } from '../nearest-name.js';
import { findRole, readRolesByType, type OpenedService } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { required } from './usage-error.js';
import { print } from './print.js';

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
  const hasCode = existsSync(join(service.config.directory, 'src/api'));
  const actions = matching(allActions(service), patterns, hasCode);
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

const allActions = ({ config, content }: OpenedService): string[] =>
  knownActions(content.bind.registry, featureActions(features, config));

/** Matches an action of a project's own code, which only a running service can list. */
const isOwnAction = /^api::[\w-]+\.[\w-]+\.\w+$/;

function matching(actions: readonly string[], patterns: readonly string[], hasCode = false): string[] {
  const found = patterns.map((pattern) => {
    const fitting = actions.filter((action) => fits(action, pattern));
    return fitting.length === 0 && hasCode && isOwnAction.test(pattern) ? [pattern] : fitting;
  });
  const without = patterns.find((_, index) => found[index]?.length === 0);
  if (without !== undefined) throw new Error(`no action is called ${without}${didYouMean(without, actions)}`);
  return [...new Set(found.flat())];
}

const fits = (action: string, pattern: string): boolean =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;

export const run = serviceCommands('permissions', { list, grant: changing(grant), revoke: changing(revoke) });
