import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, MongoClient } from 'mongodb';
import type { Observer } from '../../observe/observer.js';

/** Reports each command that ends. The client must monitor its commands. */
export function observeCommands(client: MongoClient, observer: Observer): void {
  const collections = new Map<number, string | null>();
  client.on('commandStarted', ({ requestId, commandName, command }: CommandStartedEvent) => {
    const named: unknown = command[commandName === 'getMore' ? 'collection' : commandName];
    collections.set(requestId, typeof named === 'string' ? named : null);
  });
  const end = (isFailed: boolean) => (event: CommandSucceededEvent | CommandFailedEvent) => {
    const { requestId, commandName: command, duration: ms } = event;
    observer.observe({ kind: 'command ended', command, collection: collections.get(requestId) ?? null, ms, isFailed });
    collections.delete(requestId);
  };
  client.on('commandSucceeded', end(false));
  client.on('commandFailed', end(true));
}
