import { Session } from 'node:inspector/promises';

/** The names of the functions that are called, by the URL of their file; a function without a name is an empty string. */
export type CalledFunctions = ReadonlyMap<string, readonly string[]>;

/** The precise coverage of V8. */
export interface Coverage {
  /** Runs the work and returns the functions that are called meanwhile, also by others. */
  during(work: () => Promise<void>): Promise<CalledFunctions>;
  stop(): Promise<void>;
}

export async function startCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    during: async (work) => {
      // Resets the counts.
      await session.post('Profiler.takePreciseCoverage');
      await work();
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const called = result.map(({ url, functions }) => {
        const ran = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
        return [url, ran.map(({ functionName }) => functionName)] as const;
      });
      return new Map(called.filter(([, names]) => names.length > 0));
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
