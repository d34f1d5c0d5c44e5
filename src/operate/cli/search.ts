import { rebuildIndexes, searchStatus } from '#api/search/status.js';
import { waited } from '#base/limits/timers.js';
import type { OpenedService } from './open-service.js';
import { print, printError } from './print.js';
import { changing, type Command, serviceCommands } from './run-command.js';
import { flag, parseWords, taking } from './usage-error.js';

export const usage = `usage: npx mangrove search <command>
  status                     the index of each type in the search engine, and how many changes are not sent yet
  rebuild [UID]... [--wait]  have the service build new indexes, of all types or of these; the present ones are searched meanwhile.
                             --wait: until they are complete`;

/** Milliseconds between two looks at indexes that are being built. */
const pace = 500;

const partsOf = ({ config, store: { database }, content }: OpenedService) => ({
  config,
  database,
  registry: content.bind.registry,
});

const status: Command = async (service) => {
  const status = await searchStatus(partsOf(service));
  if (status === null) {
    print('MongoDB searches: api.search.engine is mongodb');
    return;
  }
  for (const { uid, state, after } of status.indexes)
    print([uid, state, ...(after === null ? [] : [`up to ${String(after)}`])].join('\t'));
  printError(
    status.behind === null ? `nothing was sent to ${status.engine} yet` : `${String(status.behind)} changes are to be sent`,
  );
};

const rebuild: Command = async (service, args) => {
  const { values, positionals } = parseWords(args, { wait: flag });
  await rebuildIndexes(partsOf(service), positionals);
  printError('the service builds new indexes');
  while (values.wait && !(await isComplete(service, positionals))) await waited(pace, new AbortController().signal);
  return values.wait ? status(service, [], 'search status') : undefined;
};

async function isComplete(service: OpenedService, uids: readonly string[]): Promise<boolean> {
  const { indexes = [] } = (await searchStatus(partsOf(service))) ?? {};
  return indexes.every(({ uid, state }) => state === 'ready' || (uids.length > 0 && !uids.includes(uid)));
}

export const run = serviceCommands('search', { status: taking(0, status), rebuild: changing(rebuild) });
