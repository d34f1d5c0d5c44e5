/** Work in turn, by the name of the lock. */
const last = new Map<string, Promise<unknown>>();

async function request<Value>(name: string, _options: object, work: () => Promise<Value>): Promise<Value> {
  const before = last.get(name);
  const run = (async () => {
    await before?.catch(() => undefined);
    return work();
  })();
  last.set(name, run);
  return run;
}

/** Gives the tabs of a device the locks that browsers have and this version of Node may not. */
export function provideLocks(): void {
  Object.defineProperty(globalThis, 'navigator', { value: { locks: { request } }, configurable: true });
}
