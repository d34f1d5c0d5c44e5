import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, MongoClient } from 'mongodb';
import type { CommandEnded } from '../../observe/observation.js';
import type { Observer } from '../../observe/observer.js';

/** Reports each command that ends. The client must monitor its commands. */
export function observeCommands(client: MongoClient, observer: Observer): void {
  const begun = new Map<number, Pick<CommandEnded, 'collection' | 'requestId'>>();
  client.on('commandStarted', ({ requestId, commandName, command }: CommandStartedEvent) => {
    const named: unknown = command[commandName === 'getMore' ? 'collection' : commandName];
    const comment: unknown = command['comment'];
    const collection = typeof named === 'string' ? named : null;
    begun.set(requestId, { collection, requestId: typeof comment === 'string' ? comment : null });
  });
  const end = (isFailed: boolean) => (event: CommandSucceededEvent | CommandFailedEvent) => {
    const { requestId, commandName: command, duration: ms } = event;
    const known = begun.get(requestId) ?? { collection: null, requestId: null };
    observer.observe({ kind: 'command ended', command, ...known, ms, isFailed });
    begun.delete(requestId);
  };
  client.on('commandSucceeded', end(false));
  client.on('commandFailed', end(true));
}
