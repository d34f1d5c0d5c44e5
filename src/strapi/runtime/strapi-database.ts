import { userUid } from '../../accounts/user-store.js';
import type { ContentContext } from '../../content/content-context.js';
import type { Running } from '../../http/running.js';
import { inTransaction } from '../../mongo/send/transaction.js';
import type { CodeTransactions } from '../content/code-transactions.js';
import type { StrapiModel } from '../content/describe-model.js';
import type { Lifecycles, Subscriber } from '../content/lifecycles.js';
import { createQueryEngine, type QueryEngine } from '../services/query-engine.js';
import { webhookQuery } from '../services/webhook-store.js';
import { engineWithCodes } from '../services/user-codes.js';
import { missingTransaction, refuseMissing } from '../load/unsupported-code.js';

/** `strapi.db` of Strapi v4, without access to the database itself. */
export interface StrapiDatabase {
  query(uid: string): QueryEngine;
  readonly lifecycles: {
    subscribe(subscriber: Subscriber): () => void;
    clear(): void;
    disable(): void;
    enable(): void;
  };
  /** Runs code in a transaction, to which its reads and writes by `strapi` belong. Rolls back if the code throws. Without code, throws an UnsupportedCodeError. */
  transaction<Result>(work: (transaction: CodeTransaction) => Promise<Result>): Promise<Result>;
  inTransaction(): boolean;
  readonly entityManager: EntityManager;
  /** All content types and components in force, by uid. */
  readonly metadata: ReadonlyMap<string, StrapiModel>;
}

/** The methods of `query(uid)`, with the uid as an additional first argument. */
export type EntityManager = {
  readonly [Name in ManagedMethod]: (uid: string, ...input: Parameters<QueryEngine[Name]>) => ReturnType<QueryEngine[Name]>;
} & {
  /** Same as `query`. */
  getRepository(uid: string): QueryEngine;
};

const managedMethods = [
  ...(['findOne', 'findMany', 'count', 'create', 'createMany', 'update', 'updateMany'] as const),
  ...(['delete', 'deleteMany', 'load', 'populate'] as const),
];
export type ManagedMethod = (typeof managedMethods)[number];

function createEntityManager(query: StrapiDatabase['query']): EntityManager {
  const methods = managedMethods.map((name) => [
    name,
    (uid: string, ...input: unknown[]): unknown => (query(uid)[name] as (...input: unknown[]) => unknown)(...input), // same arguments
  ]);
  return refuseMissing({ ...Object.fromEntries(methods), getRepository: query } as EntityManager, 'strapi.db.entityManager');
}

/** The argument of code in a transaction. */
export interface CodeTransaction {
  /** Calls a function after the commit. */
  onCommit(work: () => unknown): void;
  /** Calls a function if the transaction fails. */
  onRollback(work: () => unknown): void;
  /** Ends the transaction without storing anything. */
  rollback(): Promise<never>;
  /** Does nothing, because the transaction is committed when the code ends. */
  commit(): Promise<void>;
}

interface DatabaseInput {
  readonly content: () => ContentContext;
  readonly running: () => Running;
  readonly lifecycles: Lifecycles;
  readonly transactions: CodeTransactions;
  /** Returns all content types and components in force, by uid. */
  readonly models: () => Readonly<Record<string, StrapiModel>>;
}

/** Creates `strapi.db`. Other members of Strapi throw an UnsupportedCodeError. */
export function createStrapiDatabase({ content, running, lifecycles, transactions, models }: DatabaseInput): StrapiDatabase {
  const { subscribe, clear, disable, enable } = lifecycles;
  const webhooks = webhookQuery(content);
  const query = (uid: string): QueryEngine => {
    if (uid === 'webhook') return webhooks;
    const engine = createQueryEngine(uid, content, lifecycles);
    return refuseMissing(uid === userUid ? engineWithCodes(engine, running) : engine, 'strapi.db.query(uid)');
  };
  const database: StrapiDatabase = {
    query,
    entityManager: createEntityManager(query),
    lifecycles: refuseMissing({ subscribe, clear, disable, enable }, 'strapi.db.lifecycles'),
    transaction: (work: unknown) => {
      if (typeof work !== 'function') throw missingTransaction();
      return runTransaction(work as () => Promise<never>, { content, transactions }); // the form of the method
    },
    inTransaction: () => transactions.isOpen,
    get metadata() {
      const withId = (model: StrapiModel) => ({ ...model, attributes: { id: { type: 'increments' }, ...model.attributes } });
      return new Map(Object.entries(models()).map(([uid, model]) => [uid, withId(model)]));
    },
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
