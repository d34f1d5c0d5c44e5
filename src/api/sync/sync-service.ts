import { addedSettings } from '#settings/sections.js';
import type { Running } from '#http/running.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { Observer } from '#base/observe/observer.js';
import { Connections } from './connections.js';
import { LogSignal } from './log-signal.js';
import { firstPosition } from './read-step.js';
import { SyncHub } from './sync-hub.js';
import { type SeenState, SyncReader } from './sync-reader.js';
import type { SyncSession } from './sync-session.js';
import { syncSettings } from './sync-settings.js';
import { type Position, SyncTokens } from './token.js';

/** What all requests for changes share. */
export interface SyncService {
  readonly log: LogSignal;
  readonly reader: SyncReader;
  readonly hub: SyncHub;
  readonly connections: Connections;
  readonly tokens: SyncTokens;
  readonly observer: Observer;
}

/** Headers of all answers. They depend on the rights of the caller, so nobody may store them. */
export const unstored = { 'Cache-Control': 'no-store', Vary: 'Authorization' } as const;

/** Returns the settings of sync. */
export const settingsOf = ({ config }: Pick<Running, 'config'>) => addedSettings(config.api, syncSettings.api).sync;

const services = new WeakMap<Running['backend'], SyncService>();

/** Returns what requests for changes share. It is made when it is needed first. */
export function syncOf(running: Running): SyncService {
  const known = services.get(running.backend);
  if (known !== undefined) return known;
  const service = createService(running);
  services.set(running.backend, service);
  return service;
}

function createService(running: Running): SyncService {
  const { database, changes } = running.backend.store;
  const settings = settingsOf(running);
  const log = new LogSignal(changes);
  const reader = new SyncReader({ database, log, size: settings.pageSize });
  const hub = new SyncHub({ database, log, reader });
  const [connections, tokens] = [new Connections(settings), new SyncTokens(running.secrets)];
  return { log, reader, hub, connections, tokens, observer: running.observer };
}

/** Where a request begins. */
export interface Begun extends SeenState {
  readonly handle: string;
  readonly position: Position;
}

interface Beginning {
  /** Null to begin a first load. */
  readonly token: string | null;
  readonly ends: EndSignal | undefined;
}

/** Returns where a client goes on. Throws a SyncResetError if its token cannot be continued. */
export async function begin({ reader, tokens }: SyncService, session: SyncSession, { token, ends }: Beginning): Promise<Begun> {
  const { state, seen } = await reader.followed(session.sight, ends);
  const handle = session.handle(state);
  return { state, seen, handle, position: token === null ? firstPosition(state) : tokens.read(token, handle) };
}
