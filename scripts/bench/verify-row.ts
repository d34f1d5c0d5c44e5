import { Agent } from 'node:http';
import { compareAnswers } from './compare-answers.js';

import { send } from './send-load.js';
import type { Size } from './sizes.js';
import type { Target } from './target.js';
import type { HttpRequest, Row } from './workload.js';

/** What a row must give before it is measured: `refusal` says why it cannot be, `difference` what the answers differ in besides. */
export interface Verification {
  readonly refusal: string | null;
  readonly difference: string | null;
}

/** Asks both targets the first questions of a row and compares the answers. Entries that were just written differ in id and time. */
export async function verifyRow(row: Row, size: Size, product: Target, baseline: Target): Promise<Verification> {
  const agent = new Agent({ keepAlive: true });
  const ask = async (target: Target, request: HttpRequest): Promise<unknown> => {
    const text = (await send(target.url, request, agent)).toString();
    return text === '' ? null : withoutVolatile(JSON.parse(text), row);
  };
  let difference: string | null = null;
  try {
    for (let n = 0; n < 6; n++) {
      const question = row.ask(n, size);
      const comparison = compareAnswers(await ask(product, question.product), await ask(baseline, question.baseline));
      difference ??= comparison.difference;
      if (!comparison.sameIds) return { refusal: `the answers hold other entries: ${String(comparison.difference)}`, difference };
    }
    return { refusal: null, difference };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error), difference };
  } finally {
    agent.destroy();
  }
}

/** What every write gives anew. */
const volatile: Partial<Record<Row['key'], ReadonlySet<string>>> = {
  e: new Set(['id', 'slug', 'createdAt', 'updatedAt']),
  f: new Set(['updatedAt']),
};

function withoutVolatile(body: unknown, row: Row): unknown {
  const keys = volatile[row.key];
  if (!keys) return body;
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (keys.has(key) ? undefined : value)));
}
