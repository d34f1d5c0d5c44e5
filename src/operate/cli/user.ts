import { randomBytes } from 'node:crypto';
import { endingTokens } from '#content/rights/caller.js';
import { claimNames, findNameConflict } from '#accounts/claim-names.js';
import { endRefreshTokens } from '#accounts/login/session.js';
import { hashNewPassword } from '#accounts/login/passwords.js';
import { changeStoredUser, type StoredUser, userType } from '#accounts/user-store.js';
import { create as createEntry } from '#content/create.js';
import type { ContentContext } from '#content/content-context.js';
import { update } from '#content/update.js';
import { matchesAny } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { emptyQuery } from '#model/query/ast.js';
import { passwordOption, printNewPassword, readAccountArguments, readArguments, readPassword } from './passwords.js';
import { findRole } from './open-service.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { parseOptions, requiredArgument, taking, text } from './usage-error.js';
import { print } from './print.js';

export const usage = `usage: npx mangrove user <command>
  create --username NAME --email ADDRESS [--password] [--role TYPE]
                               the default role is authenticated
  set-password NAME|ADDRESS [--password]
  set-role NAME|ADDRESS TYPE
  With --password the password is read from a prompt or standard input; without it, one is generated and printed.`;

function readCreate(args: readonly string[]) {
  const options = { username: text, email: text, role: text, ...passwordOption };
  const { username, email, role = 'authenticated', password } = readArguments(args, (words) => parseOptions(words, options));
  return { role, password, username: requiredArgument(username, '--username'), email: requiredArgument(email, '--email') };
}

const create: Command = async (service, args) => {
  const { content } = service;
  const { username, email, role, password } = readCreate(args);
  const names = { username, email: email.toLowerCase() };
  const others = { except: null, sharedAddress: false, onlyLocal: false };
  const refuseTaken = async (): Promise<void> => {
    if ((await findNameConflict(names, others, content)) !== null) throw taken();
  };
  await refuseTaken();
  const word = password ? await readPassword(`password of ${username}`) : makePassword();
  const data = { ...names, password: word, role: (await findRole(service, role)).id, provider: 'local', confirmed: true };
  await claimNames(names, content, taken, async () => {
    await refuseTaken();
    await createEntry(userType(content), data, emptyQuery, content);
  });
  if (!password) printNewPassword(word, username);
  else print(`created ${username}`);
};

const taken = (): Error => new Error('the name or the address is taken');

const setPassword: Command = async ({ content }, args) => {
  const { name, password } = readAccountArguments(args);
  const { id } = await findUser(name, content);
  const word = password ? await readPassword(`password of ${String(name)}`) : makePassword();
  const hash = await hashNewPassword(word, content);
  await changeStoredUser(content, { _id: id }, endingTokens({ password: hash, resetPasswordToken: null }));
  await endRefreshTokens(id, content);
  if (!password) printNewPassword(word, String(name));
  else print(`the password of ${String(name)} is set; earlier tokens no longer work`);
};

const setRole: Command = async (service, [name, word]) => {
  const { content } = service;
  const { id } = await findUser(name, content);
  const role = await findRole(service, requiredArgument(word, 'the type of a role'));
  await update({ type: userType(content), id }, { data: { role: role.id }, query: emptyQuery }, content);
  print(`${String(name)} has the role ${role.type}`);
};

const makePassword = (): string => randomBytes(12).toString('base64url');

async function findUser(word: string | undefined, content: ContentContext): Promise<Pick<StoredUser, 'id'>> {
  const name = requiredArgument(word, 'the name or address of a user');
  const filter = matchesAny({ username: name }, { email: name.toLowerCase() });
  const [user] = await findStored(content.store.database, userType(content).collection, { match: filter, limit: 1 });
  if (user === undefined) throw new Error(`there is no user ${name}`);
  return { id: Number(user['_id']) };
}

export const run = serviceCommands('user', {
  create: changing(create, readCreate),
  'set-password': changing(setPassword, readAccountArguments),
  'set-role': taking(2, changing(setRole)),
});
