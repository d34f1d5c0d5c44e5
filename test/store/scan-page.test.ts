import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import type { ContentContext } from '#content/content-context.js';
import { findMany, type FoundPage } from '#content/find-many.js';
import { forRequest } from '#store/send/database.js';
import { ensureIndexes } from '#store/models/indexes.js';
import { emptyQuery } from '#model/query/ast.js';
import { tooLate } from '#base/limits/clock.js';
import { Budget, unlimited } from '#base/limits/budget.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parsePagination, parseSort } from '#model/query/parse-list.js';
import { defaultLimits } from '../support/default-limits.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { TestModel } from '../support/serve.js';
import { contextOf, typeOf } from '../support/things.js';

const persons = Array.from({ length: 60 }, (_, index) => ({ _id: index + 1, name: `person ${String(index)}`, age: 60 - index }));

interface Search {
  readonly start?: number;
  readonly limit?: number;
  readonly sort?: string;
}

describe('passes of searches without an index', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.db.collection<{ _id: number }>('persons').insertMany(persons);
  });
  after(() => database.drop());

  /** The context of requests whose caches are new and hear of writes. */
  const listening = (): ContentContext => {
    const context = contextOf(database);
    context.store.changes.setListening(true);
    return context;
  };

  const search = (context: ContentContext, { start = 0, limit = 10, sort = '' }: Search = {}): Promise<FoundPage> => {
    const query = {
      ...emptyQuery,
      filter: parseFilters({ name: { $contains: 'person' } }, defaultLimits),
      sort: parseSort(sort, defaultLimits),
      pagination: parsePagination({ start: String(start), limit: String(limit), withCount: 'true' }),
    };
    return findMany(typeOf('api::person.person'), query, context);
  };

  /** The same context for a request of its own. */
  const requestOf = (context: ContentContext, budget: Budget, signal: AbortSignal): ContentContext => {
    const { store, bind } = context;
    const own = { ...store, database: forRequest(store.database, { budget, sender: { client: 'one', signal }, reads: null }) };
    return { ...context, store: own, bind: { ...bind, budget } };
  };

  /** Takes all turns of the scans until the returned function is called. */
  const holdScans = ({ store }: ContentContext): (() => void) => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    for (let turn = 0; turn < 10; turn++) void store.database.scans.run(() => held);
    return release;
  };

  /** The number of passes over the collection so far, and the end of counting. */
  const countPasses = () => {
    let passes = 0;
    const listen = ({ command }: CommandStartedEvent): void => {
      if (command['aggregate'] === 'persons') passes += 1;
    };
    database.client.on('commandStarted', listen);
    return { passes: () => passes, end: () => database.client.off('commandStarted', listen) };
  };

  /** Resolves when whatever does not wait for a turn has long been sent. */
  const exchange = async (): Promise<void> => {
    for (let round = 0; round < 50; round++) await database.db.command({ ping: 1 });
  };

  let counted: ReturnType<typeof countPasses>;
  beforeEach(() => {
    counted = countPasses();
  });
  afterEach(() => {
    counted.end();
  });

  const idsOf = ({ entries }: FoundPage): unknown[] => entries.map(({ document }) => document['_id']);
  const first = persons.slice(0, 10).map(({ _id }) => _id);

  it('wait in the queue of scans', async () => {
    const context = listening();
    const release = holdScans(context);
    const found = search(context);
    await exchange();
    expect(counted.passes()).to.equal(0);
    release();
    expect((await found).total).to.equal(60);
    expect(counted.passes()).to.equal(1);
  });

  it('are shared by concurrent equal searches', async () => {
    const context = listening();
    for (const page of await Promise.all([1, 2, 3, 4, 5].map(() => search(context)))) {
      expect(idsOf(page)).to.deep.equal(first);
      expect(page.total).to.equal(60);
    }
    expect(counted.passes()).to.equal(1);
  });

  it('are shared only for the same order and end of the page', async () => {
    const context = listening();
    const searches = [{}, { start: 10 }, { limit: 20 }, { sort: 'age' }, { sort: 'age:desc' }];
    const found = await Promise.all(searches.map((one) => search(context, one)));
    expect(found.map((page) => idsOf(page)[0])).to.deep.equal([1, 11, 1, 60, 1]);
    expect(counted.passes()).to.equal(4); // entries 11 to 20 end where the first 20 end
  });

  it('are not shared with searches after a write', async () => {
    const context = listening();
    const release = holdScans(context);
    const before = search(context);
    await exchange();
    context.store.changes.wrote('persons', { kind: 'values' });
    const after = [search(context), search(context)];
    release();
    await Promise.all([before, ...after]);
    expect(counted.passes()).to.equal(2);
  });

  it('are awaited no longer than a request may wait for the database', async () => {
    const context = listening();
    const { database: usual } = context.store;
    const { signal } = new AbortController();
    const hurried = { ...context, store: { ...context.store, database: { ...usual, maxTimeMS: { read: 10, write: 10 } } } };
    const release = holdScans(context);
    const found = search(context);
    await exchange();
    const late = await search(requestOf(hurried, unlimited, signal)).catch((error: unknown) => error);
    expect(late).to.deep.include({ status: 503, message: tooLate().message });
    release();
    expect(idsOf(await found)).to.deep.equal(first);
    expect(counted.passes()).to.equal(1);
  });

  it('are not shared while writes of other instances are not reported', async () => {
    const context = contextOf(database);
    await Promise.all([search(context), search(context)]);
    expect(counted.passes()).to.equal(2);
  });

  it('are repeated by one of the other requests if the client of the first has disconnected', async () => {
    const context = listening();
    const release = holdScans(context);
    const gone = new AbortController();
    const leaving = search(requestOf(context, unlimited, gone.signal)).catch((error: Error) => error.message);
    const others = [1, 2, 3].map(() => search(requestOf(context, unlimited, new AbortController().signal)));
    await exchange();
    gone.abort();
    release();
    expect(await leaving).to.equal('The request has ended');
    for (const page of await Promise.all(others)) expect(idsOf(page)).to.deep.equal(first);
    expect(counted.passes()).to.equal(1);
  });

  it('are repeated by one of the other requests if the first has used up its budget', async () => {
    const context = listening();
    const { signal } = new AbortController();
    const poor = search(requestOf(context, new Budget({ ...defaultLimits, answerBytes: 10 }), signal)).catch(
      (error: Error) => error.message,
    );
    const others = [1, 2, 3].map(() => search(requestOf(context, unlimited, signal)));
    expect(await poor).to.contain('reads more than 10 bytes');
    for (const page of await Promise.all(others)) expect(idsOf(page)).to.deep.equal(first);
    expect(counted.passes()).to.equal(2);
  });
});

const noteModels: readonly TestModel[] = [
  {
    uid: 'api::note.note',
    kind: 'collectionType',
    collectionName: 'notes',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: true },
    attributes: {
      title: { type: 'string', index: true },
      code: { type: 'string', unique: true },
      text: { type: 'string' },
      data: { type: 'json', index: true },
    },
  },
];
const { registry } = buildRegistry(noteModels);

/** Filters, and whether their pages are read by a pass. The index of a unique attribute has no nulls. */
const scanned: readonly (readonly [filter: object, isScanned: boolean])[] = [
  [{ publishedAt: { $null: true } }, false],
  [{ title: { $null: true } }, false],
  [{ title: 'x' }, false],
  [{ title: { $notNull: true } }, true],
  [{ code: 'x' }, false],
  [{ code: { $null: true } }, true],
  [{ text: { $null: true } }, true],
  [{ data: { $null: true } }, true],
  [{ $or: [{ title: { $null: true } }, { text: 'x' }] }, true],
];

describe('a page with its total', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.db.collection<{ _id: number }>('notes').insertOne({ _id: 1 });
  });
  after(() => database.drop());

  for (const [filter, isScanned] of scanned)
    it(`is read ${isScanned ? 'by one pass' : 'by an index'} for ${JSON.stringify(filter)}`, async () => {
      const names: string[] = [];
      const listen = ({ commandName }: CommandStartedEvent): void => void names.push(commandName);
      database.client.on('commandStarted', listen);
      const query = {
        ...emptyQuery,
        filter: parseFilters(filter, defaultLimits),
        publicationState: 'preview' as const,
        pagination: parsePagination({ start: '0', limit: '10', withCount: 'true' }),
      };
      await findMany(typeOf('api::note.note', registry), query, contextOf(database, registry));
      database.client.off('commandStarted', listen);
      expect(names.includes('aggregate')).to.equal(isScanned);
    });
});

/** The size of a collection whose indexes are looked up. */
const size = 2_000;

const textModel = (name: string, localized: boolean): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized } },
  attributes: {
    title: { type: 'string', index: true },
    text: { type: 'string' },
    code: { type: 'string' },
    note: { type: 'string' },
  },
});
const { registry: texts } = buildRegistry([textModel('page', true), textModel('memo', false)]);

interface Read {
  readonly type?: 'page' | 'memo';
  readonly filter?: object;
  readonly sort?: string;
  readonly locale?: string;
  readonly state?: 'live' | 'preview';
}

/**
 * Reads, and whether all entries are read in natural order. Most pages are published and in one locale, most memos are drafts.
 * `code` has an index of an operator, `note` a wildcard index.
 */
const reads: readonly (readonly [read: Read, isNatural: boolean])[] = [
  [{ filter: { text: 'page 3' } }, true],
  [{ filter: { text: { $containsi: 'page 3' } } }, true],
  [{ filter: { text: 'page 3' }, locale: 'fr' }, false],
  [{ filter: { text: 'page 3' }, locale: 'all' }, true],
  [{ filter: { text: 'page 3' }, locale: 'all', state: 'preview' }, true],
  [{ filter: { text: 'page 3', code: 'page 3' } }, false],
  [{ filter: { title: { $containsi: 'page 3' }, code: { $in: ['page 3'] } } }, false],
  [{ filter: { publishedAt: { $null: true } }, state: 'preview', sort: 'text' }, false],
  [{ sort: 'text' }, true],
  [{ sort: 'text:desc,title' }, true],
  [{ sort: 'text', locale: 'fr' }, false],
  [{ sort: 'title' }, false],
  [{ sort: 'code' }, false],
  [{ sort: 'text', filter: { code: 'page 3' } }, false],
  [{ filter: { note: 'page 3' } }, false],
  [{ type: 'memo', filter: { text: { $containsi: 'memo 3' } } }, false],
  [{ type: 'memo', sort: 'text' }, false],
  [{ type: 'memo', sort: 'text', state: 'preview' }, true],
];

describe('reads that look at all entries of a list', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    for (const name of ['page', 'memo']) {
      const documents = Array.from({ length: size }, (_, index) => {
        const text = `${name} ${String(index)}`;
        const publishedAt = (index % 20 === 0) === (name === 'page') ? null : new Date(index);
        return { _id: index + 1, title: text, text, code: text, note: text, publishedAt, locale: index % 10 === 1 ? 'fr' : 'en' };
      });
      await database.db.collection<{ _id: number }>(`${name}s`).insertMany(documents);
      await ensureIndexes(database.db, typeOf(`api::${name}.${name}`, texts), texts);
    }
    await database.db.collection('pages').createIndexes([{ key: { locale: 1, code: 1 } }, { key: { 'note.$**': 1 } }]);
  });
  after(() => database.drop());

  for (const [{ type = 'page', filter, sort = '', locale, state = 'live' }, isNatural] of reads)
    it(`${isNatural ? 'read all entries' : 'use an index'} for ${JSON.stringify({ type, filter, sort, locale, state })}`, async () => {
      const hints: unknown[] = [];
      const listen = ({ command }: CommandStartedEvent): void => {
        if ('find' in command || 'aggregate' in command) hints.push(command['hint']);
      };
      database.client.on('commandStarted', listen);
      const query = {
        ...emptyQuery,
        ...(filter !== undefined && { filter: parseFilters(filter, defaultLimits) }),
        ...(locale !== undefined && { locale }),
        sort: parseSort(sort, defaultLimits),
        publicationState: state,
        pagination: parsePagination({ start: '0', limit: '10', withCount: 'true' }),
      };
      const context = contextOf(database, texts);
      await findMany(typeOf(`api::${type}.${type}`, texts), query, {
        ...context,
        bind: { ...context.bind, locales: ['en', 'fr'] },
      });
      database.client.off('commandStarted', listen);
      expect(hints.some((hint) => isDeepStrictEqual(hint, { $natural: 1 }))).to.equal(isNatural);
    });
});
