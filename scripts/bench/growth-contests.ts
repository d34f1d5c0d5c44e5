import { Agent } from 'node:http';
import type { Contest, Sides, StartedContender, Verification } from './contest.js';
import { openProduct } from './open-product.js';
import { readAnswer } from './read-answer.js';
import type { Settings } from './settings.js';
import { sizeNames, type Size } from './sizes.js';
import { verifiedQuestions } from './verify-row.js';
import type { Row } from './questions.js';

const [smallest] = sizeNames;
const goal = 2;

/**
 * The product at each larger size up to the one of the settings against itself at the smallest. At 1m the bodies of articles are a
 * fifteenth as long, so rows that read them come out too well there.
 */
export const growthContests = ({ size, rows }: Settings): readonly Contest[] =>
  sizeNames.slice(1, sizeNames.indexOf(size) + 1).map((larger) => growthContest(larger, rows));

const growthContest = (size: Size, rows: readonly Row[]): Contest => ({
  product: openProduct(size, size),
  baseline: openProduct(smallest, smallest),
  unit: `the CPU at ${smallest}`,
  rows,
  verify: verifyAnswering,
  findGoal: (row, sides) => (row.key.startsWith('c-') ? compareMatches(row, sides) : row.scans !== undefined ? null : goal),
});

/** Answers of different data cannot be compared; there must be some. */
async function verifyAnswering(row: Row, { product, baseline }: Sides<StartedContender>): Promise<Verification> {
  try {
    for (const side of [product, baseline]) await readAll(side, row, verifiedQuestions);
    return { refusal: null, difference: null };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error), difference: null };
  }
}

/** How many times the matching rows there are: a deep filter may grow as they do. The questions go round in 26. */
async function compareMatches(row: Row, { product, baseline }: Sides<StartedContender>): Promise<number> {
  const [larger, smaller] = [sumTotals(await readAll(product, row, 26)), sumTotals(await readAll(baseline, row, 26))];
  return larger / Math.max(1, smaller);
}

const sumTotals = (answers: readonly unknown[]): number =>
  // Lists in the envelope of the API.
  answers.reduce((sum: number, answer) => sum + (answer as CountedList).meta.pagination.total, 0);

interface CountedList {
  readonly meta: { readonly pagination: { readonly total: number } };
}

async function readAll(side: StartedContender, row: Row, questions: number): Promise<unknown[]> {
  const agent = new Agent({ keepAlive: true });
  const answers: unknown[] = [];
  try {
    for (let n = 0; n < questions; n++) answers.push(await readAnswer(side, side.ask(row, n), agent));
    return answers;
  } finally {
    agent.destroy();
  }
}
