import { setTimeout as delay } from 'node:timers/promises';
import { usesMongod, type Sides, type StartedContender } from './contest.js';
import { measure, type Measurement } from './measure.js';
import { concludeRow, type JudgedRow, type Round, type RowResult } from './results.js';
import type { Settings } from './settings.js';
import type { Target } from './target.js';

/** Warms both sides up, then measures them in turns; every other round in the other order. */
export async function measureRow(judged: JudgedRow, sides: Sides<StartedContender>, settings: Settings): Promise<RowResult> {
  const meter = makeMeter(judged, sides);
  const most = judged.row.scans === 'always' ? warmUpOfScans : settings.warmUp;
  await warmUp(meter, 'product', most);
  await warmUp(meter, 'baseline', most);
  const rounds: Round[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    rounds.push(round % 2 === 0 ? await inOrder(meter, settings.seconds) : await inReverse(meter, settings.seconds));
  }
  return concludeRow(judged, rounds);
}

/** Seconds. Scans take mongod alone so long that it does not matter how far the code is compiled. */
const warmUpOfScans = 3;

/**
 * Asks as often as it takes until the code of both is compiled, as far as `most` seconds allow. After a thousand requests for a list the
 * product still uses much more CPU for each than after five thousand.
 */
async function warmUp(meter: Meter, side: keyof Round, most: number): Promise<void> {
  let requests = 0;
  for (let turn = 0; turn < most && requests < 5_000; turn++) requests += (await meter(side, 1)).requests;
}

type Meter = (side: keyof Round, seconds: number) => Promise<Measurement>;

const inOrder = async (meter: Meter, seconds: number): Promise<Round> => ({
  product: await meter('product', seconds),
  baseline: await meter('baseline', seconds),
});

const inReverse = async (meter: Meter, seconds: number): Promise<Round> => {
  const baseline = await meter('baseline', seconds);
  return { product: await meter('product', seconds), baseline };
};

/** Clients of rows that read all content, always or once: more would wait longer for each other than the time limit of a request. */
const scanners = 2;

/** Measures one side while the other stands still. The questions go on where they left off: no two creates are the same. */
function makeMeter({ row, connections }: JudgedRow, { product, baseline }: Sides<StartedContender>): Meter {
  const clients = row.scans !== undefined ? Math.min(connections, scanners) : connections;
  let asked = firstQuestion;
  return async (name, seconds) => {
    const [side, other] = name === 'product' ? [product, baseline] : [baseline, product];
    other.target.freeze();
    try {
      await settled(side.target);
      return await measure(usesMongod(side) ? side.db : null, side.target, () => side.ask(row, asked++), {
        connections: clients,
        seconds,
      });
    } finally {
      other.target.thaw();
      await row.clear?.(side.db);
    }
  };
}

/**
 * Waits until a side is idle that has stood still. The product then reads of the writes that the other side has made meanwhile, which are
 * none of the requests that are measured.
 */
async function settled({ readUsage }: Target): Promise<void> {
  let { cpu } = await readUsage();
  for (let turn = 0; turn < 30; turn++) {
    await delay(100);
    const usage = await readUsage();
    if (usage.cpu - cpu < idle) return;
    cpu = usage.cpu;
  }
}

/** Microseconds of CPU in a tenth of a second. */
const idle = 10_000;

/** The first question after those of the verification. */
const firstQuestion = 1_000;
