import { removedData } from '#store/models/removed-data.js';
import { type RemovedPart, removedParts } from '#store/stores/removed-store.js';
import { servedCollections } from '#store/models/served-collections.js';
import { suggest } from '#base/nearest-name.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Model } from '#model/schema/model.js';
import type { OpenedDatabase } from './open-service.js';
import { print, printTable } from './print.js';
import { recordCommand } from './record-command.js';
import { refuseFurtherArguments, flag, parseOptions, parseWords, requiredArgument } from './usage-error.js';

/**
 * Prints the removed models and attributes, also those that are there again while an interrupted deletion has left documents of the
 * former ones, when they were removed, and how many entries hold data of them. Returns the exit code.
 */
export async function listRemoved(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const { json } = parseOptions(args, { json: flag });
  const now = await removedData.modelsNow(opened.database, opened.settings);
  const parts = await removedData.readLeft(now, opened.database);
  const rows: (Omit<RemovedPart, 'definition' | 'rights'> & { readonly entries: number })[] = [];
  for (const part of parts) {
    const { uid, attribute, at } = part;
    rows.push({ uid, attribute, at, entries: await removedData.count(part, now, opened.database) });
  }
  if (json) print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) print('nothing is removed');
  else printTable(rows.map(({ uid, attribute, at, entries }) => [uid, attribute ?? '', at.toISOString(), entriesOf(entries)]));
  return 0;
}

const entriesOf = (count: number): string => (count === 1 ? '1 entry' : `${String(count)} entries`);

/** Puts a removed model or attribute back. Returns the exit code. */
export async function restoreRemoved(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const { positionals } = parseWords(args, {});
  const now = await removedData.modelsNow(opened.database, opened.settings);
  const part = findPart(await removedParts.read(opened.database), positionals);
  const documents = removedData.withPart(part, now);
  const build = buildRegistry(documents, {
    ...opened.settings,
    foreign: await servedCollections.findForeign(documents, opened.database),
  });
  const problems = build.problems.get(part.uid) ?? [];
  if (problems.length > 0) throw new Error(`${part.uid} cannot be restored: ${problems.join('; ')}`);
  const model = documents.find(({ uid }) => uid === part.uid) as unknown as Model; // its form was checked
  await recordCommand(opened.database, ['models restore-removed', positionals], () =>
    removedData.restore(part, model, now, opened.database),
  );
  print(`restored ${nameOf(part)}: ${entriesOf(await removedData.count(part, now, opened.database))} with data`);
  return 0;
}

/** Deletes the data of a removed model or attribute, if `--yes` is given. Returns the exit code. */
export async function purgeRemoved(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const { values, positionals } = parseWords(args, { yes: flag });
  const { database } = opened;
  const now = await removedData.modelsNow(opened.database, opened.settings);
  const part = findPart(await removedData.readLeft(now, database), positionals);
  if (!values.yes) {
    print(
      `${nameOf(part)}: the data of ${entriesOf(await removedData.count(part, now, database))} would be deleted for ever; add --yes`,
    );
    return 1;
  }
  const count = await recordCommand(database, ['models purge', positionals], () => removedData.purge(part, now, database));
  await removedParts.forget(database, part);
  print(`deleted ${nameOf(part)}: the data of ${entriesOf(count)}`);
  return 0;
}

const nameOf = ({ uid, attribute }: RemovedPart): string => (attribute === null ? uid : `${uid} ${attribute}`);

/** Returns the removed part that arguments name. Throws an Error if there is none. */
function findPart(parts: readonly RemovedPart[], [word, name, ...more]: readonly string[]): RemovedPart {
  const uid = requiredArgument(word, 'a uid');
  refuseFurtherArguments(more);
  const removedPart = parts.find((part) => part.uid === uid && part.attribute === (name ?? null));
  if (removedPart !== undefined) return removedPart;
  const wanted = name === undefined ? uid : `${uid} ${name}`;
  throw new Error(`${wanted} is not removed${suggest(wanted, parts.map(nameOf))}; npx mangrove models removed lists what is`);
}
