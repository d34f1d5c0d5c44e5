import { createToken, listTokens, revokeToken } from '#accounts/api-tokens.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { parseOptions, requiredArgument, taking, text, texts } from './usage-error.js';
import { print, printError } from './print.js';
import { matching, readActions } from './permissions.js';

export const usage = `usage: npx mangrove token <command>
  create [--name NAME] [--type read-only|full-access|custom|admin] [--days N] [--action ACTION]... [--description TEXT]
                   create a token, and print its key, which is shown only once. The type is custom with --action, otherwise
                   read-only. Actions are written as in permissions grant
  list             print the tokens, without their keys
  revoke NAME|ID   delete a token; it stops working at once`;

const day = 86_400_000;
const maxDays = 36_525;

const create: Command = async (service, args) => {
  const { store, secrets } = service;
  const values = parseOptions(args, { name: text, type: text, days: text, action: texts, description: text });
  const { days, action: patterns = [], description } = values;
  const { type = patterns.length > 0 ? 'custom' : 'read-only' } = values;
  const { name = `${type} ${new Date().toISOString()}` } = values;
  if (patterns.length > 0 && type !== 'custom') throw new Error(`--action is for tokens of the type custom, not ${type}`);
  if (days !== undefined && !(Number(days) > 0 && Number(days) <= maxDays))
    throw new Error(`--days must be a number above 0 and at most ${String(maxDays)}, not ${days}`);
  const lifespan = days === undefined ? null : Math.ceil(Number(days) * day);
  const permissions = patterns.length > 0 ? matching(await readActions(service), patterns) : [];
  const { token, key } = await createToken({ name, type, description, permissions, lifespan }, secrets.tokenSalt, store);
  printError(`created the ${token.type} token "${token.name}"; its key is shown only once:`);
  print(key);
};

const list: Command = async ({ store }) => {
  const dates = (date: Date | null): string => date?.toISOString() ?? 'never';
  for (const { id, name, type, expiresAt, lastUsedAt } of await listTokens(store))
    print(`${String(id)}\t${name}\t${type}\texpires ${dates(expiresAt)}\tlast used ${dates(lastUsedAt)}`);
};

const revoke: Command = async ({ store }, [which]) => {
  const { name } = await revokeToken(requiredArgument(which, 'the name or id of a token'), store);
  print(`revoked ${name}`);
};

export const run = serviceCommands('token', {
  create: changing(create),
  list: taking(0, list),
  revoke: taking(1, changing(revoke)),
});
