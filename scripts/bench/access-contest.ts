import { Agent } from 'node:http';
import type { Contest, Sides, StartedContender, Verification } from './contest.js';
import { openProduct } from './open-product.js';
import { readAnswer } from './read-answer.js';
import { saveAccount, signToken } from './save-account.js';
import type { Settings } from './settings.js';
import { verifyRow } from './verify-row.js';
import type { HttpRequest, Row } from './questions.js';

const goal = 1.1;

/** The product asked with the token of a user whose role has 50 permissions, against the same product without authorization. */
export function accessContest({ size, rows }: Settings): Contest {
  const authorization = `Bearer ${signToken()}`;
  const guarded = openProduct('guarded', size);
  return {
    product: {
      ...guarded,
      options: ['guarded'],
      ask: (row, n) => ({ ...guarded.ask(row, n), authorization }),
    },
    baseline: openProduct('open', size),
    unit: 'the CPU without authorization',
    rows,
    prepare: saveAccount,
    verify: (row, sides) => verifyGuarded(row, guarded.ask(row, 0), sides),
    findGoal: () => goal,
  };
}

/** A row counts only where the product refuses it without the token; with it, the answers are those of the open product. */
async function verifyGuarded(row: Row, anonymous: HttpRequest, sides: Sides<StartedContender>): Promise<Verification> {
  if (await refuses(sides.product, anonymous)) return verifyRow(row, sides);
  return { refusal: 'answered without a token too: nothing is guarded here', difference: null };
}

async function refuses(product: StartedContender, request: HttpRequest): Promise<boolean> {
  const agent = new Agent();
  try {
    await readAnswer(product, request, agent);
    return false;
  } catch {
    return true;
  } finally {
    agent.destroy();
  }
}
