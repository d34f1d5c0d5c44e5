import type { Config } from '#settings/config.js';
import type { ContentSource } from '#content/create-context.js';
import type { Backend } from '#store/models/open-backend.js';
import { forJob } from '#store/send/database.js';
import { collections } from '#model/schema/collections.js';
import { Bell } from './bell.js';
import { type DeliveryParts, serveWebhook } from './deliver.js';
import { enabledWebhooks } from './enabled-webhooks.js';
import { outboxSubscribers } from './outbox.js';
import { purgeSubscriber, tellPurges } from './tell-purges.js';
import { listWebhooks } from './write-webhooks.js';

/** The parts of the service that webhooks need. */
interface WebhookService {
  readonly config: Config;
  readonly backend: Backend;
  readonly source: ContentSource;
}

/** Milliseconds after which an instance tries to deliver in place of one that has died, whose lease has expired. */
const takeOver = 1_000;

const job = { name: 'webhooks', every: takeOver, isEager: true, lease: true, isEndless: true } as const;

/** Stores events from now on, and delivers them. Returns a function that ends both. */
export async function startWebhooks({ config, backend, source }: WebhookService): Promise<() => Promise<void>> {
  const { store, jobs } = backend;
  const webhooks = enabledWebhooks(store.changes);
  const { retries, allowPrivate: allowsPrivate } = config.webhooks;
  const ownStore = { ...store, database: forJob(store.database, 'webhooks') };
  const run = deliver({
    store: ownStore,
    observer: jobs.observer,
    webhooks: webhooks,
    retries,
    allowsPrivate,
  });
  const purging = purgeSubscriber(ownStore.database, webhooks, () => source.models.snapshot.registry);
  const ends = [...outboxSubscribers({ config, source, webhooks: webhooks }), purging].map((one) => store.changes.subscribe(one));
  let stop: (() => Promise<void>) | null = null;
  const update = (): void => {
    if (webhooks.enabled.length > 0) stop ??= jobs.start({ ...job, run });
    else {
      void stop?.();
      stop = null;
    }
  };
  webhooks.onChange(update);
  store.changes.onChange([collections.models], () => {
    webhooks.wake(webhooks.enabled.map(({ id }) => id));
  });
  await webhooks.open(store.changes, () => listWebhooks(ownStore));
  update();
  return async () => {
    for (const end of ends) end();
    webhooks.close();
    await stop?.();
  };
}

/** Delivers the events of each webhook that is enabled, until the signal aborts. One instance does so at a time. */
const deliver =
  (parts: DeliveryParts) =>
  async (signal: AbortSignal): Promise<void> => {
    const { webhooks } = parts;
    const served = new Map<number, Serving>();
    const serve = (id: number): void => {
      const [bell, stop] = [new Bell(), new AbortController()];
      webhooks.bells.set(id, bell);
      served.set(id, { stop, ended: serveWebhook(id, bell, parts, stop.signal) });
    };
    const leave = (id: number): Promise<void> | undefined => {
      const one = served.get(id);
      one?.stop.abort();
      served.delete(id);
      webhooks.bells.delete(id);
      return one?.ended;
    };
    const update = (): void => {
      const ids = new Set(webhooks.enabled.map(({ id }) => id));
      for (const id of served.keys()) if (!ids.has(id)) void leave(id);
      for (const id of ids) if (!served.has(id)) serve(id);
    };
    const end = webhooks.onChange(update);
    update();
    const observe = (err: unknown): void => parts.observer.observe({ kind: 'failed', work: 'webhook delivery', err });
    await tellPurges({ database: parts.store.database, webhooks: webhooks, observe }, signal);
    end();
    await Promise.all([...served.keys()].map(leave));
  };

/** The deliveries to a webhook. */
interface Serving {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}
