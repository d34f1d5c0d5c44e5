import { createRole, deleteRole, updateRole } from '#accounts/roles/roles.js';
import { findRole, readRolesByType } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { UsageError, onlyWord, parseWords, requiredArgument, taking, text } from './usage-error.js';
import { print } from './print.js';

export const usage = `usage: npx mangrove roles <command>
  list                       print type, name and number of actions of all roles
  create NAME [--type TYPE] [--description TEXT]
                             the default type is derived from the name
  change TYPE [--name NAME] [--description TEXT]
  delete TYPE                its users get the role public`;

function readWords(args: readonly string[]) {
  const { values, positionals } = parseWords(args, { type: text, name: text, description: text });
  return { which: onlyWord(positionals, 'a role'), values };
}

const list: Command = async (service) => {
  for (const { type, name, actions } of (await readRolesByType(service)).values())
    print(`${type}\t${name}\t${String(actions.size)} actions`);
};

const create: Command = async (service, args) => {
  const { which: name, values } = readWords(args);
  const id = await createRole({ ...values, name }, service.content);
  const roles = [...(await readRolesByType(service)).values()];
  print(`created ${roles.find((role) => role.id === id)?.type ?? name}`);
};

const change: Command = async (service, args) => {
  const { which, values } = readWords(args);
  const { name, description } = values;
  if (name === undefined && description === undefined)
    throw new UsageError('nothing to change: --name or --description is missing');
  if (name !== undefined) requiredArgument(name, 'the text of --name');
  await updateRole((await findRole(service, which)).id, { name, description }, service.content);
  print(`changed ${which}`);
};

const remove: Command = async (service, args) => {
  const { which } = readWords(args);
  await deleteRole((await findRole(service, which)).id, service.content);
  print(`deleted ${which}`);
};

export const run = serviceCommands('roles', {
  list: taking(0, list),
  create: changing(create),
  change: changing(change),
  delete: changing(remove),
});
