import type { RunningMongod } from './launch-mongod.js';

interface KeepInput {
  readonly first: RunningMongod;
  /** Starts a mongod at the same address. */
  readonly launch: () => Promise<RunningMongod>;
  /** Called with each line that a user should read. */
  readonly log: (line: string) => void;
  /** Called once if the server cannot be started again. */
  readonly onLost: (error: Error) => void;
}

/** A server that is started again if it ends by itself. */
interface KeptMongod {
  /** The pid of the current process. */
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A server that ends so many times within so many milliseconds is not started again. */
const max = { ends: 3, within: 60_000 };

/** Starts the server again whenever it ends, until `stop` is called. */
export function keepRunning({ first, launch, log, onLost }: KeepInput): KeptMongod {
  let current = first;
  let isStopping = false;
  const ends: number[] = [];

  const restart = async (reason: string): Promise<void> => {
    ends.push(Date.now());
    const recent = ends.filter((time) => Date.now() - time < max.within).length;
    if (recent >= max.ends) throw new Error(`MongoDB has ended ${String(recent)} times within a minute: ${reason}`);
    log(`MongoDB has ended: ${reason}. It is started again.`);
    current = await launch();
    log('MongoDB runs again');
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const reason = await current.ended;
      if (isStopping) return;
      await restart(reason);
      if (isStopping) return current.stop();
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!isStopping) onLost(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    get pid() {
      return current.pid;
    },
    stop: async () => {
      isStopping = true;
      await current.stop();
      await watching;
    },
  };
}
