import { readFile } from 'node:fs/promises';
import { setRules, type RulesChange } from '#accounts/roles/set-rules.js';
import { checkAdminBody } from '#admin/api/check-admin-body.js';
import { rulesBody } from '#admin/api/role-admin-routes.js';
import { findRole, readRolesByType } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { requiredArgument, taking } from './usage-error.js';
import { print, printError } from './print.js';
import { messageOf } from '#base/errors.js';

export const usage = `usage: npx mangrove rules <command>
  list [ROLE]                print the rules of all roles, or of one, as JSON
  set ROLE FILE              change the rules of a role: { "rows": { UID: FILTER }, "fields": { UID: { "allow": [NAME] } } };
                             parts that the file does not have are kept, parts that are null are removed
  remove ROLE                remove all rules of a role`;

const list: Command = async (service, [type]) => {
  const roles = type === undefined ? [...(await readRolesByType(service)).values()] : [await findRole(service, type)];
  for (const role of roles) if (role.rules !== null) print(`${role.type}\t${JSON.stringify(role.rules)}`);
};

const set: Command = async (service, [word, path]) => {
  const type = requiredArgument(word, 'a role');
  const file = requiredArgument(path, 'a file');
  const role = await findRole(service, type);
  const change = checkAdminBody(rulesBody, await readJson(file)) as RulesChange; // checked by the schema
  for (const warning of await setRules(role.id, change, service.content)) printError(`warning: ${warning}`);
  print(`the rules of ${type} are set`);
};

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

const remove: Command = async (service, [word]) => {
  const type = requiredArgument(word, 'a role');
  await setRules((await findRole(service, type)).id, { rows: null, fields: null }, service.content);
  print(`the rules of ${type} are removed`);
};

export const run = serviceCommands('rules', {
  list: taking(1, list),
  set: taking(2, changing(set)),
  remove: taking(1, changing(remove)),
});
