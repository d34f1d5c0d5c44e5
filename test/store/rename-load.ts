import { expect } from 'chai';
import type { Serving } from '../support/serve.js';

/** Requests that follow each other at a rate, while a model changes. */
export interface Load {
  /** Stops the load. Resolves to what went wrong, and to the last value of each entry that a write has acknowledged. */
  readonly stop: () => Promise<LoadResult>;
}

interface LoadResult {
  readonly requests: number;
  readonly failures: readonly string[];
  readonly last: ReadonlyMap<number, string>;
  /** Milliseconds of the slowest request. */
  readonly slowest: number;
}

interface LoadInput {
  readonly services: readonly Serving[];
  readonly plural: string;
  /** The names under which the value may be answered. */
  readonly names: readonly string[];
  readonly ids: readonly number[];
  readonly perSecond: number;
}

type Attributes = Readonly<Record<string, unknown>>;

/**
 * Sends reads of lists and entries, filters and sorts by the former name, and writes, in turn to each service. No entry is written by
 * two requests at once, so that the last acknowledged value of each is known.
 */
export function startLoad({ services, plural, names, ids, perSecond }: LoadInput): Load {
  const failures: string[] = [];
  const last = new Map<number, string>();
  const writing = new Set<number>();
  const open = new Set<Promise<void>>();
  let count = 0;
  let slowest = 0;
  const valueOf = (attributes: Attributes): unknown => names.map((name) => attributes[name]).find((value) => value !== undefined);
  const check = (what: string, status: number, attributes: readonly Attributes[]): void => {
    if (status !== 200) failures.push(`${what}: ${String(status)}`);
    else if (attributes.length === 0 || attributes.some((one) => typeof valueOf(one) !== 'string'))
      failures.push(`${what}: no value: ${JSON.stringify(attributes).slice(0, 200)}`);
  };
  const send = async (number: number): Promise<void> => {
    const serving = services[number % services.length];
    const id = ids[number % ids.length] ?? 0;
    if (serving === undefined) return;
    const [former = ''] = names;
    const ways: readonly (() => Promise<void>)[] = [
      async () => {
        const { status, body } = await serving.call('GET', `/api/${plural}?pagination[pageSize]=10&sort=${former}`);
        check(
          'list',
          status,
          (body.data ?? []).map(({ attributes }: { attributes: Attributes }) => attributes),
        );
      },
      async () => {
        if (writing.has(id)) return;
        writing.add(id);
        const value = `value ${String(number)}`;
        const { status, body } = await serving.call('PUT', `/api/${plural}/${String(id)}`, { data: { [former]: value } });
        check('write', status, [body.data?.attributes ?? {}]);
        if (status === 200) last.set(id, value);
        const read = await serving.call('GET', `/api/${plural}/${String(id)}`);
        const found = valueOf(read.body.data?.attributes ?? {});
        if (found !== value)
          failures.push(`read own write: ${String(found)} instead of ${value} from ${String(number % services.length)}`);
        writing.delete(id);
      },
      async () => {
        const { status, body } = await serving.call('GET', `/api/${plural}/${String(id)}`);
        check('entry', status, [body.data?.attributes ?? {}]);
      },
      async () => {
        const path = `/api/${plural}?filters[${former}][$notNull]=true&pagination[pageSize]=3&pagination[withCount]=true`;
        const { status, body } = await serving.call('GET', path);
        check(
          'filter',
          status,
          (body.data ?? []).map(({ attributes }: { attributes: Attributes }) => attributes),
        );
        if (status === 200 && body.meta.pagination.total < ids.length)
          failures.push(`filter: ${String(body.meta.pagination.total)} entries`);
      },
    ];
    const begun = performance.now();
    await ways[number % ways.length]?.();
    slowest = Math.max(slowest, performance.now() - begun);
  };
  const timer = setInterval(() => {
    const request = send(count++)
      .catch((error: unknown) => void failures.push(String(error)))
      .finally(() => open.delete(request));
    open.add(request);
  }, 1000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return { requests: count, failures, last, slowest };
    },
  };
}

/** Fails if a request of a load has failed, has answered without the value, or a write was lost. */
export async function assertUnharmed(
  { requests, failures, last }: LoadResult,
  value: (id: number) => Promise<unknown>,
): Promise<void> {
  expect(failures.slice(0, 5)).to.deep.equal([]);
  expect(requests).to.be.greaterThan(0);
  for (const [id, expected] of last) expect(await value(id), `entry ${String(id)}`).to.equal(expected);
}
