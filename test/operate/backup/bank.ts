import type { Db, MongoClient } from 'mongodb';

interface Account {
  readonly _id: number;
  readonly amount: number;
}

interface Count {
  readonly _id: number;
  readonly moves: number;
}

const accounts = 300;
const first = 100;

/** Opens accounts, each with the same amount. */
export async function openBank(db: Db): Promise<void> {
  await db.collection<Account>('accounts').insertMany(Array.from({ length: accounts }, (_, _id) => ({ _id, amount: first })));
  await db.collection<Count>('counts').insertOne({ _id: 0, moves: 0 });
}

/** Writers that move amounts between accounts, each in a transaction that also inserts or deletes a move and counts them. */
export interface Writers {
  /** Stops them. Returns the number of transactions. */
  readonly stop: () => Promise<number>;
}

export function startWriters(client: MongoClient, name: string, count = 3): Writers {
  const state = { isOver: false };
  const running = Array.from({ length: count }, (_, index) => moveAmounts(client.db(name), client, 11 * (index + 1), state));
  return {
    stop: async () => {
      state.isOver = true;
      return (await Promise.all(running)).reduce((sum, done) => sum + done, 0);
    },
  };
}

async function moveAmounts(db: Db, client: MongoClient, seed: number, state: { readonly isOver: boolean }): Promise<number> {
  let [count, random] = [0, seed];
  const below = (limit: number): number => (random = (random * 48_271) % 2_147_483_647) % limit;
  while (!state.isOver) {
    const [from, to, amount] = [below(accounts), below(accounts), below(10)];
    const isDeleting = count % 5 === 4;
    const work = client.withSession((session) =>
      session.withTransaction(async () => {
        await db.collection<Account>('accounts').updateOne({ _id: from }, { $inc: { amount: -amount } }, { session });
        await db.collection<Account>('accounts').updateOne({ _id: to }, { $inc: { amount } }, { session });
        const moves = db.collection('moves');
        const { deletedCount } = isDeleting ? await moves.deleteOne({ worker: seed }, { session }) : { deletedCount: -1 };
        if (!isDeleting) await moves.insertOne({ worker: seed, from, to, amount }, { session });
        const update = { $inc: { moves: -deletedCount } };
        await db.collection<Count>('counts').updateOne({ _id: seed }, update, { upsert: true, session });
      }),
    );
    await work.then(
      () => (count += 1),
      () => undefined,
    ); // the primary may have been killed
  }
  return count;
}

/** Returns what is wrong with a bank: amounts that came from nowhere, or moves that are not counted. */
export async function checkBank(db: Db): Promise<readonly string[]> {
  const held = await db.collection<Account>('accounts').find().toArray();
  const sum = held.reduce((all, { amount }) => all + amount, 0);
  const problems =
    sum === accounts * first && held.length === accounts ? [] : [`${String(held.length)} accounts hold ${String(sum)}`];
  for (const { _id, moves } of await db.collection<Count>('counts').find().toArray()) {
    const stored = await db.collection('moves').countDocuments({ worker: _id });
    if (stored !== moves) problems.push(`${String(stored)} moves of ${String(_id)} instead of ${String(moves)}`);
  }
  return problems;
}
