/** Records the calls of traced functions while work is under way: the index of the called function's file, in order. */
export type Trace = (work: () => Promise<void>) => Promise<readonly number[]>;

/** Sets the global that traced functions call. */
export function installTracer(): Trace {
  let called: number[] | null = null;
  Object.assign(globalThis, { trace: (file: number) => void called?.push(file) });
  return async (work) => {
    const made: number[] = (called = []);
    await work().finally(() => (called = null));
    return made;
  };
}
