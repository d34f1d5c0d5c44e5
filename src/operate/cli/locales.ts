import { createLocale, deleteLocale, listLocales, localeWork, updateLocale } from '#content/locales.js';
import { changing, serviceCommands, type Command } from './run-command.js';
import { UsageError, onlyWord, parseWords, taking, text } from './usage-error.js';
import { print } from './print.js';

export const usage = `usage: npx mangrove locales <command>
  list                       all locales, and which is the default one
  add CODE [--name NAME] [--default]
  change CODE [--name NAME] [--default]
  remove CODE                remove a locale with its entries`;

function readWords(args: readonly string[]) {
  const { values, positionals } = parseWords(args, { name: text, default: { type: 'boolean' } });
  return { code: onlyWord(positionals, 'the code of a locale'), input: { name: values.name, isDefault: values.default } };
}

const list: Command = async ({ content }) => {
  for (const { code, name, isDefault } of await listLocales(content)) print(`${code}\t${name}${isDefault ? '\tdefault' : ''}`);
};

const add: Command = async (service, args) => {
  const { code, input } = readWords(args);
  await createLocale(code, input, localeWork(service));
  print(`added ${code}`);
};

const change: Command = async (service, args) => {
  const { code, input } = readWords(args);
  if (input.name === undefined && input.isDefault === undefined)
    throw new UsageError('nothing to change: --name or --default is missing');
  await updateLocale(code, input, localeWork(service));
  print(`changed ${code}`);
};

const remove: Command = async (service, args) => {
  const { code } = readWords(args);
  await deleteLocale(code, localeWork(service));
  print(`removed ${code}`);
};

export const run = serviceCommands('locales', {
  list: taking(0, list),
  add: changing(add),
  change: changing(change),
  remove: changing(remove),
});
