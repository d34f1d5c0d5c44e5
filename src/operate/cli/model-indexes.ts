import { operatorIndexes } from '#store/models/indexes.js';
import { readModels } from '#store/stores/model-store.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { suggest } from '#base/nearest-name.js';
import { printSize } from '#base/values.js';
import type { OpenedDatabase } from './open-service.js';
import { print, printError, printTable } from './print.js';
import { recordCommand } from './record-command.js';
import { findCommand, onlyWord, parseWords, requiredArgument } from './usage-error.js';

type Command = (opened: OpenedDatabase, args: readonly string[]) => Promise<void>;

const commands: Readonly<Record<string, Command>> = { add, list, drop };

/** Runs a subcommand of `models index`. Returns the exit code. */
export async function runIndex(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const [name = '', ...words] = args;
  const command = findCommand('models index', name.toLowerCase(), commands);
  const { positionals } = parseWords(words, {});
  await command(opened, positionals);
  return 0;
}

async function add(opened: OpenedDatabase, [uid, ...words]: readonly string[]): Promise<void> {
  const { type, registry } = await typeOf(opened, requiredArgument(uid, 'the uid of a model'));
  requiredArgument(words[0], 'an attribute');
  const key = operatorIndexes.readKey(type, registry, words);
  const { database } = opened;
  printError(`building an index of ${type.uid}; the service answers meanwhile`);
  const made = await recordCommand(database, ['models index add', [type.uid, ...words]], () =>
    operatorIndexes.create(type, key, database),
  );
  print(made.isNew ? `created ${made.name}` : `the index ${made.name} has these attributes already`);
}

async function list(opened: OpenedDatabase, words: readonly string[]): Promise<void> {
  const types = words.length === 0 ? await typesOf(opened) : [(await typeOf(opened, onlyWord(words, 'a uid'))).type];
  const rows = await Promise.all(
    types.map(async (type) =>
      (await operatorIndexes.list(type, opened.database)).map(({ name, key, bytes, uses }) => [
        ...[type.uid, name, key, printSize(bytes)],
        uses === null ? '' : `${String(uses)} uses`,
      ]),
    ),
  );
  printTable(rows.flat());
}

async function drop(opened: OpenedDatabase, [uid, ...words]: readonly string[]): Promise<void> {
  const { type } = await typeOf(opened, requiredArgument(uid, 'the uid of a model'));
  const name = onlyWord(words, 'the name of an index');
  const { database } = opened;
  await recordCommand(database, ['models index drop', [type.uid, name]], () => operatorIndexes.drop(type, name, database));
  print(`dropped ${name}`);
}

const registryOf = async ({ database, settings }: OpenedDatabase): Promise<Registry> =>
  buildRegistry(await readModels(database), settings).registry;

const isStored = ({ kind, collection }: ContentType): boolean => kind !== 'component' && collection !== '';

const typesOf = async (opened: OpenedDatabase): Promise<readonly ContentType[]> =>
  [...(await registryOf(opened)).types.values()].filter(isStored);

/** Returns a type and its registry. Throws an Error if there is none. */
async function typeOf(opened: OpenedDatabase, uid: string): Promise<{ readonly type: ContentType; readonly registry: Registry }> {
  const registry = await registryOf(opened);
  const type = registry.types.get(uid);
  if (type !== undefined && isStored(type)) return { type, registry };
  const known = [...registry.types.values()].filter(isStored).map((one) => one.uid);
  throw new Error(`there is no model ${uid}${suggest(uid, known)}`);
}
