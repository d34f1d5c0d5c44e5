import type { ChangeStream } from 'mongodb';
import type { Database } from './database.js';

/** Who hears of changes. */
export interface ChangeListener {
  /** Something was written to a collection, by whatever client. */
  changed(collection: string): void;
  /** Whether changes are heard of from now on; what was kept before may be stale. */
  listening(listening: boolean): void;
}

export interface ChangeWatch {
  close(): Promise<void>;
}

const pause = 500;

/**
 * Watches the database by a change stream, reopened after failures. Where there are none, every listener is told twice a second
 * that the models may have changed.
 */
export function watchChanges(database: Database, listener: ChangeListener): ChangeWatch {
  return database.isReplicated ? watchStream(database, listener) : poll(listener);
}

function poll(listener: ChangeListener): ChangeWatch {
  const timer = setInterval(() => {
    for (const collection of ['_models', '_settings', 'up_roles', 'up_permissions']) listener.changed(collection);
  }, pause);
  return {
    close: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

interface Change {
  readonly ns?: { readonly coll?: string };
}

function watchStream({ db }: Database, listener: ChangeListener): ChangeWatch {
  let open = true;
  let stream: ChangeStream<object, Change> | null = null;
  const follow = async (): Promise<void> => {
    while (open) {
      stream = db.watch<object, Change>([{ $project: { ns: 1 } }], { maxAwaitTimeMS: 1000 });
      try {
        await followOne(stream, listener);
      } catch {
        // Any failure is answered the same way: nothing kept is trusted until a new stream is open.
      }
      listener.listening(false);
      await stream.close().catch(() => undefined);
      if (open) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  const following = follow();
  return {
    close: async () => {
      open = false;
      await stream?.close().catch(() => undefined);
      await following;
    },
  };
}

async function followOne(stream: ChangeStream<object, Change>, listener: ChangeListener): Promise<void> {
  const first = await stream.tryNext();
  listener.listening(true);
  for (let change = first; ; change = await stream.next()) {
    if (change?.ns?.coll !== undefined) listener.changed(change.ns.coll);
  }
}
