import { createToken, listTokens, revokeToken } from '../accounts/api-tokens.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { parseWords, required } from './usage-error.js';
import { print, printError } from './print.js';

export const usage = `usage: npx mangrove token <command>
  create [--name NAME] [--type read-only|full-access|custom|admin] [--days N] [--action ACTION]... [--description TEXT]
                   create a token, by default a read-only one, and print its key, which is shown only once
  list             print the tokens, without their keys
  revoke NAME|ID   delete a token; it stops working at once`;

const day = 86_400_000;

const create: Command = async ({ store, secrets }, args) => {
  const { values } = parseWords({
    args: [...args],
    options: {
      name: { type: 'string' },
      type: { type: 'string', default: 'read-only' },
      days: { type: 'string' },
      action: { type: 'string', multiple: true, default: [] },
      description: { type: 'string' },
    },
  });
  const { name = `${values.type} ${new Date().toISOString()}`, type, days, action, description } = values;
  if (days !== undefined && !(Number(days) > 0)) throw new Error(`--days must be a number above 0, not ${days}`);
  const lifespan = days === undefined ? null : Number(days) * day;
  const { token, key } = await createToken({ name, type, description, permissions: action, lifespan }, secrets.tokenSalt, store);
  printError(`created the ${token.type} token "${token.name}"; its key is shown only once:`);
  print(key);
};

const list: Command = async ({ store }) => {
  const dates = (date: Date | null): string => date?.toISOString() ?? 'never';
  for (const { id, name, type, expiresAt, lastUsedAt } of await listTokens(store))
    print(`${String(id)}\t${name}\t${type}\texpires ${dates(expiresAt)}\tlast used ${dates(lastUsedAt)}`);
};

const revoke: Command = async ({ store }, [which]) => {
  const { name } = await revokeToken(required(which, 'the name or id of a token'), store);
  print(`revoked ${name}`);
};

export const run = serviceCommands('token', { create: changing(create), list, revoke: changing(revoke) });
