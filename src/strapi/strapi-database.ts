import type { ContentContext } from '../content/content-context.js';
import { inTransaction } from '../mongo/transaction.js';
import type { CodeTransactions } from './code-transactions.js';
import type { Lifecycles, Subscriber } from './lifecycles.js';
import { createQueryEngine, type QueryEngine } from './query-engine.js';
import { refuseMissing } from './unsupported-code.js';

/** `strapi.db` of Strapi v4, without the database below it. */
export interface StrapiDatabase {
  query(uid: string): QueryEngine;
  readonly lifecycles: {
    subscribe(subscriber: Subscriber): () => void;
    clear(): void;
    disable(): void;
    enable(): void;
  };
  /** Runs code in a transaction: what it reads and writes by `strapi` belongs to it. Rolled back if the code throws. */
  transaction<Result>(work: (transaction: CodeTransaction) => Promise<Result>): Promise<Result>;
  inTransaction(): boolean;
}

/** The argument of code in a transaction. */
export interface CodeTransaction {
  /** Runs after the commit. */
  onCommit(work: () => unknown): void;
  /** Runs if the transaction fails. */
  onRollback(work: () => unknown): void;
  /** Ends the transaction: nothing is stored. */
  rollback(): Promise<never>;
  /** Does nothing: the end of the code commits. */
  commit(): Promise<void>;
}

interface DatabaseInput {
  readonly content: () => ContentContext;
  readonly lifecycles: Lifecycles;
  readonly transactions: CodeTransactions;
}

/** Members that Strapi has besides throw an UnsupportedCodeError. */
export function createStrapiDatabase({ content, lifecycles, transactions }: DatabaseInput): StrapiDatabase {
  const { subscribe, clear, disable, enable } = lifecycles;
  const database: StrapiDatabase = {
    query: (uid) => createQueryEngine(uid, content, lifecycles),
    lifecycles: refuseMissing({ subscribe, clear, disable, enable }, 'strapi.db.lifecycles'),
    transaction: (work) => runTransaction(work, { content, transactions }),
    inTransaction: () => transactions.isOpen,
  };
  return refuseMissing(database, 'strapi.db');
}

async function runTransaction<Result>(
  work: (transaction: CodeTransaction) => Promise<Result>,
  { content, transactions }: Pick<DatabaseInput, 'content' | 'transactions'>,
): Promise<Result> {
  const [committed, rolledBack]: [(() => unknown)[], (() => unknown)[]] = [[], []];
  const transaction: CodeTransaction = {
    onCommit: (listener) => void committed.push(listener),
    onRollback: (listener) => void rolledBack.push(listener),
    rollback: () => Promise.reject(new Error('the transaction was rolled back')),
    commit: () => Promise.resolve(),
  };
  const run = async (): Promise<Result> => {
    committed.length = 0;
    return work(transaction);
  };
  try {
    const result = await inTransaction(content().store.database, (database) => transactions.run(database, run));
    for (const listener of committed) await listener();
    return result;
  } catch (error) {
    for (const listener of rolledBack) await listener();
    throw error;
  }
}
