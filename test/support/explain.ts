import type { CommandStartedEvent, Db, Document, MongoClient } from 'mongodb';
import { type ExplainedWork, workIn } from '#store/read/explain-read.js';

/** Fields of a sent command that are not explained. */
const unexplained: ReadonlySet<string> = new Set(
  'lsid $db $clusterTime $readPreference readConcern txnNumber startTransaction autocommit comment maxTimeMS batchSize'.split(
    ' ',
  ),
);

/** Returns the commands of these names that a client sends during some work, and its result. */
export async function commandsDuring<Result>(
  client: MongoClient | undefined,
  names: readonly string[],
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly commands: readonly Document[] }> {
  if (client === undefined) throw new Error('no client');
  const commands: Document[] = [];
  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    if (names.includes(commandName)) commands.push(command as Document);
  };
  client.on('commandStarted', listen);
  try {
    return { result: await work(), commands };
  } finally {
    client.off('commandStarted', listen);
  }
}

/** Returns what the server does for a command if it is sent again. */
export async function explain(db: Db, command: Document): Promise<ExplainedWork> {
  const plain = Object.fromEntries(Object.entries(command).filter(([key]) => !unexplained.has(key)));
  return workIn(await db.command({ explain: plain, verbosity: 'executionStats' }));
}
