import type { Db } from 'mongodb';
import { measure, type Measurement } from './measure.js';
import { concludeRow, type Round, type RowResult, type SkippedRow } from './results.js';
import type { Settings } from './settings.js';
import type { Target } from './target.js';
import { verifyRow } from './verify-row.js';
import type { Row } from './workload.js';

/** Both targets, on the same database. */
export interface Contest {
  readonly db: Db;
  readonly product: Target;
  readonly baseline: Target;
}

/** Compares the answers of both targets, warms both up, then measures them in turns; every other round in the other order. */
export async function measureRow(row: Row, contest: Contest, settings: Settings): Promise<RowResult | SkippedRow> {
  const { key, title } = row;
  const { refusal, difference } = await verifyRow(row, settings.size, contest.product, contest.baseline);
  if (refusal !== null) return { key, title, reason: refusal };
  const meter = makeMeter(row, contest, settings);
  await warmUp(meter, 'product');
  await warmUp(meter, 'baseline');
  const rounds: Round[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    rounds.push(round % 2 === 0 ? await inOrder(meter, settings.seconds) : await inReverse(meter, settings.seconds));
  }
  return concludeRow(row, rounds, difference);
}

/** A thousand requests, as far as five seconds allow: that many it takes until the code of both is compiled. */
async function warmUp(meter: Meter, name: Target['name']): Promise<void> {
  let requests = 0;
  for (let turn = 0; turn < 5 && requests < 1_000; turn++) requests += (await meter(name, 1)).requests;
}

type Meter = (name: Target['name'], seconds: number) => Promise<Measurement>;

const inOrder = async (meter: Meter, seconds: number): Promise<Round> => ({
  product: await meter('product', seconds),
  baseline: await meter('baseline', seconds),
});

const inReverse = async (meter: Meter, seconds: number): Promise<Round> => {
  const baseline = await meter('baseline', seconds);
  return { product: await meter('product', seconds), baseline };
};

/** Measures one target while the other stands still. The questions go on where they left off: no two creates are the same. */
function makeMeter(row: Row, { db, product, baseline }: Contest, { size, connections }: Settings): Meter {
  let asked = firstQuestion;
  return async (name, seconds) => {
    const [target, other] = name === 'product' ? [product, baseline] : [baseline, product];
    other.freeze();
    try {
      return await measure(db, target, () => row.ask(asked++, size)[name], { connections, seconds });
    } finally {
      other.thaw();
    }
  };
}

/** Beyond those that the verification asks. */
const firstQuestion = 1_000;
