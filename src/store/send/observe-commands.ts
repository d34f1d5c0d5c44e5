import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, Document, MongoClient } from 'mongodb';
import type { CommandEnded } from '#base/observe/request-observations.js';
import type { Observer } from '#base/observe/observer.js';
import { jobOf } from './database.js';

type Begun = Pick<CommandEnded, 'collection' | 'requestId' | 'job'>;

/** Reports each command that ends. The client must monitor its commands. */
export function observeCommands(client: MongoClient, observer: Observer): void {
  const begun = new Map<number, Begun>();
  const commentOf = commentsOfTransactions();
  client.on('commandStarted', ({ requestId, commandName, command }: CommandStartedEvent) => {
    const named: unknown = command[commandName === 'getMore' ? 'collection' : commandName];
    const comment = commentOf(commandName, command);
    const job = jobOf(comment);
    begun.set(requestId, { collection: typeof named === 'string' ? named : null, requestId: job === null ? comment : null, job });
  });
  const end = (isFailed: boolean) => (event: CommandSucceededEvent | CommandFailedEvent) => {
    const { requestId, commandName: command, duration: ms } = event;
    const begunCommand = begun.get(requestId) ?? { collection: null, requestId: null, job: null };
    observer.observe({ kind: 'command ended', command, ...begunCommand, ms, isFailed });
    begun.delete(requestId);
  };
  client.on('commandSucceeded', end(false));
  client.on('commandFailed', end(true));
}

/** Maximum number of open transactions whose comment is known. */
const mostOpen = 1_000;

/**
 * Returns a function that returns the comment of a command; null if it has none. The driver takes no comment for the end of a
 * transaction, which therefore has that of the command which began it.
 */
function commentsOfTransactions(): (name: string, command: Document) => string | null {
  const open = new Map<string, string>();
  const note = (key: string, comment: string): void => {
    const [oldest] = open.keys();
    if (oldest !== undefined && open.size >= mostOpen) open.delete(oldest);
    open.set(key, comment);
  };
  return (name, command) => {
    const comment: unknown = command['comment'];
    if (command['autocommit'] !== false) return typeof comment === 'string' ? comment : null;
    const key = keyOf(command);
    if (typeof comment === 'string') {
      if (command['startTransaction'] === true) note(key, comment);
      return comment;
    }
    const begun = open.get(key) ?? null;
    if (name === 'commitTransaction' || name === 'abortTransaction') open.delete(key);
    return begun;
  };
}

const keyOf = ({ lsid, txnNumber }: Document): string => {
  const { id } = lsid as { readonly id: { toString(encoding: 'hex'): string } }; // a UUID, in each command of a transaction
  return `${id.toString('hex')} ${String(txnNumber)}`;
};
