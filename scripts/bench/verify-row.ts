import { Agent } from 'node:http';
import { compareAnswers } from './compare-answers.js';
import type { Sides, StartedContender, Verification } from './contest.js';
import { readAnswer } from './read-answer.js';
import type { Row } from './questions.js';

/**
 * Asks both sides the first questions of a row and compares the answers. Entries that were just written differ in id and time. `loose`:
 * other entries are reported, not refused.
 */
export async function verifyRow(row: Row, { product, baseline }: Sides<StartedContender>, loose = false): Promise<Verification> {
  // a connection that waits for the other side's answer may be closed meanwhile
  const agent = new Agent();
  const ask = async (side: StartedContender, n: number): Promise<unknown> => {
    const request = side.ask(row, n);
    const first = await readAnswer(side, request, agent);
    const recalled = side.recall?.(request, first) ?? null;
    const answer = recalled === null ? first : await readAnswer(side, recalled, agent);
    return withoutVolatile(side.read?.(answer) ?? answer, row);
  };
  let difference: string | null = null;
  try {
    for (let n = 0; n < verifiedQuestions; n++) {
      const comparison = compareAnswers(await ask(product, n), await ask(baseline, n));
      difference ??= comparison.difference;
      if (!comparison.sameIds && !loose)
        return { refusal: `the answers hold other entries: ${String(comparison.difference)}`, difference };
    }
    return { refusal: null, difference };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error), difference };
  } finally {
    agent.destroy();
  }
}

/** How many questions of a row are asked before it is measured. */
export const verifiedQuestions = 6;

const created = ['id', 'slug', 'createdAt', 'updatedAt'];

const noted = ['key', 'note', 'updatedAt', 'version'];

/** Keys that differ with every write, by row. */
const volatile: Readonly<Record<string, readonly string[] | undefined>> = {
  ...{ e: created, key: created, batch: created },
  f: ['updatedAt'],
  ...{ 'put-key': noted, push: noted, 'push-1': noted },
  ...{ 'v-1': ['cursors'], 'v-200': ['cursors'], 'v-2000': ['cursors'] },
  w: [...created, 'total', 'pageCount'],
  'm-upload': ['id', 'hash', 'url', 'createdAt', 'updatedAt'],
};

function withoutVolatile(body: unknown, row: Row): unknown {
  const keys = volatile[row.key];
  if (!keys) return body;
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (keys.includes(key) ? undefined : value)));
}
