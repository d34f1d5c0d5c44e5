import { userUid } from '#accounts/user-store.js';
import type { ContentContext } from '#content/content-context.js';
import type { RunningService } from '#http/running.js';
import type { CodeTransactions } from '../content/code-transactions.js';
import type { StrapiModel } from '../content/describe-model.js';
import type { Subscriber } from '../content/lifecycle-events.js';
import type { Lifecycles } from '../content/lifecycles.js';
import { createQueryEngine, type QueryEngine } from '../services/query-engine.js';
import { engineWithCodes } from '../services/user-codes.js';
import { refuseMissing } from '../load/unsupported-code.js';
import { type CodeTransaction, type EmptyTransaction, emptyTransaction, runTransaction } from './code-transaction.js';

/** `strapi.db` of Strapi v4, without access to the database itself. */
export interface StrapiDatabase {
  query(uid: string): QueryEngine;
  readonly lifecycles: {
    subscribe(subscriber: Subscriber): () => void;
    clear(): void;
    disable(): void;
    enable(): void;
  };
  /**
   * Runs code in a transaction, to which its reads and writes by `strapi` belong until the code ends or has called `commit` or
   * `rollback`. Rolls back if the code throws before.
   */
  transaction<Result>(work: (transaction: CodeTransaction) => Promise<Result>): Promise<Result>;
  /** Returns a transaction to which no reads and writes by `strapi` belong, as in Strapi v4. */
  transaction(): Promise<EmptyTransaction>;
  inTransaction(): boolean;
  readonly entityManager: EntityManager;
  /** All content types and components in force, by uid. */
  readonly metadata: ReadonlyMap<string, StrapiModel>;
  /** What plugins read of the settings of the database. */
  readonly config: { readonly connection: { readonly client: string }; readonly models: readonly StrapiModel[] };
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

interface DatabaseInput {
  readonly content: () => ContentContext;
  readonly running: () => RunningService;
  readonly lifecycles: Lifecycles;
  readonly transactions: CodeTransactions;
  /** Queries of what is no content type, by uid. */
  readonly tables: Readonly<Record<string, QueryEngine>>;
  /** Returns all content types and components in force, by uid. */
  readonly models: () => Readonly<Record<string, StrapiModel>>;
}

const emptyNotice =
  'strapi.db.transaction() without a function: reads and writes of strapi do not belong to it, as in Strapi v4; pass the code as a function';

/** Creates `strapi.db`. Other members of Strapi throw an UnsupportedCodeError. */
export function createStrapiDatabase({ content, running, tables, ...parts }: DatabaseInput): StrapiDatabase {
  const { lifecycles, transactions, models } = parts;
  const { subscribe, clear, disable, enable } = lifecycles;
  const query = (uid: string): QueryEngine => {
    const table = Object.hasOwn(tables, uid) ? tables[uid] : undefined;
    if (table !== undefined) return table;
    const engine = createQueryEngine(uid, content, lifecycles);
    return refuseMissing(uid === userUid ? engineWithCodes(engine, running) : engine, 'strapi.db.query(uid)');
  };
  const database: StrapiDatabase = {
    query,
    entityManager: createEntityManager(query),
    lifecycles: refuseMissing({ subscribe, clear, disable, enable }, 'strapi.db.lifecycles'),
    transaction: async (work?: unknown) => {
      const context = content();
      if (typeof work === 'function') return runTransaction(work as () => Promise<never>, context, transactions); // the form of the method
      context.notices.logOnce(emptyNotice);
      return emptyTransaction() as never; // that of the second form
    },
    inTransaction: () => transactions.current !== null,
    get metadata() {
      return new Map(Object.entries(models()).map(([uid, model]) => [uid, asStored(model)]));
    },
    get config() {
      return { connection: { client: 'mongodb' }, models: Object.values(models()).map(asStored) };
    },
  };
  return refuseMissing(database, 'strapi.db');
}

/** Returns a model with its id, as `strapi.db` of Strapi v4 describes it. */
const asStored = (model: StrapiModel): StrapiModel =>
  Object.defineProperties({} as StrapiModel, {
    ...Object.getOwnPropertyDescriptors(model), // `lifecycles` may be replaced
    attributes: { value: { id: { type: 'increments' }, ...model.attributes }, enumerable: true },
  });
