import { type Client, createClient, type ClientOptions } from '#client/create-client.js';
import type { AnyTypes } from '#client/entry.js';
import { createOffline, memoryStore, type Offline, type OfflineOptions, type OfflineStore } from '#client/offline/offline.js';
import { serveSync, type ServingSync } from '../../api/sync/serve-sync.js';
import { syncModels } from '../../api/sync/sync-models.js';
import type { TestModel } from '../../support/serve.js';

/** The models of sync, with tags that are synced, and a number to count with. */
export const offlineModels: readonly TestModel[] = syncModels.map((model) =>
  model.uid === 'api::tag.tag' ? { ...model, pluginOptions: { sync: { enabled: true } } } : model,
);

const actionsOf = (name: string): string[] =>
  ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::${name}.${name}.${action}`);

/** What users may do. */
export const allActions = [...['post', 'author', 'tag'].flatMap(actionsOf), 'plugin::upload.content-api.upload'];

/** A network that can be cut, and that can lose a request before or after it is carried out. */
export class Network {
  isCut = false;
  /** Called with the path of each request: where it is lost. */
  loses: (path: string) => 'before' | 'after' | null = () => null;
  /** What something before the service answers to a request in its place; null for nothing. */
  answers: (path: string) => Response | null = () => null;
  /** The paths of requests that were sent. */
  readonly sent: string[] = [];

  readonly fetch: NonNullable<ClientOptions['fetch']> = async (url, init) => {
    const path = new URL(url).pathname;
    const lost = this.isCut ? 'before' : this.loses(path);
    if (lost === 'before') throw new TypeError('the network is cut');
    const answer = this.answers(path);
    if (answer !== null) return answer;
    this.sent.push(path);
    const response = await fetch(url, init);
    if (lost === 'after' || this.isCut) {
      await response.arrayBuffer();
      throw new TypeError('the answer is lost');
    }
    return response;
  };
}

/** An app on a device. */
export interface Device {
  readonly network: Network;
  readonly client: Client<AnyTypes>;
  readonly offline: Offline<AnyTypes>;
  readonly store: OfflineStore;
}

export interface ServingOffline extends ServingSync {
  /** Starts an app; over the store of another one, it is that app after a restart. Unless it is automatic, it sends nothing by itself. */
  readonly device: (options?: Partial<OfflineOptions<AnyTypes>> & { readonly jwt?: string }) => Device;
  /** Brings devices up to date when all changes are logged. */
  readonly meet: (...devices: readonly Device[]) => Promise<void>;
}

export async function serveOffline(): Promise<ServingOffline> {
  const serving = await serveSync({ models: offlineModels });
  await serving.admin('PUT', '/roles/1', { actions: allActions });
  await serving.admin('POST', '/locales', { code: 'fr', name: 'French' });
  const started: Device[] = [];
  const device: ServingOffline['device'] = ({ jwt, ...options } = {}) => {
    const network = new Network();
    let session = jwt === undefined ? null : { jwt };
    const sessions = { read: () => session, write: (next: typeof session) => (session = next) };
    const client = createClient({ url: serving.server.url, retries: 0, fetch: network.fetch, store: sessions });
    const store = options.store ?? memoryStore();
    const types = ['posts', 'authors', 'tags'];
    const offline = createOffline({ client, types, automatic: false, ...options, store });
    const made = { network, client, offline, store };
    started.push(made);
    return made;
  };
  return {
    ...serving,
    device,
    meet: async (...devices) => {
      for (const { offline } of devices) await offline.push();
      await serving.logged();
      for (const { offline } of devices) await offline.pull();
    },
    stop: async () => {
      for (const { offline } of started) await offline.close();
      await serving.stop();
    },
  };
}
