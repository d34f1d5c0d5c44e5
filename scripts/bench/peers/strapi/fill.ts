import { dataSet, type Source } from '../../data-set.js';
import type { MadeEntry } from '../../make-entry.js';
import { models } from '../../models.js';
import type { Size } from '../../sizes.js';

/** The parts of better-sqlite3 that are used here. */
export interface Sqlite {
  pragma(text: string): unknown;
  prepare(sql: string): { run(values: readonly unknown[]): unknown };
  transaction(run: () => void): () => void;
}

/** A model as Strapi's database layer describes it: its table, its columns, and the tables of its links. */
export interface TableOfModel {
  readonly tableName: string;
  readonly attributes: Readonly<Record<string, StoredAttribute | undefined>>;
}

interface StoredAttribute {
  readonly columnName?: string;
  readonly joinTable?: JoinTable;
  readonly target?: string;
  /** Of media: the attribute of the file that leads back. */
  readonly morphBy?: string;
}

interface JoinTable {
  readonly name: string;
  readonly joinColumn: Named;
  readonly inverseJoinColumn?: Named;
  readonly morphColumn?: { readonly idColumn: Named; readonly typeColumn: Named };
  readonly orderColumnName?: string;
  readonly inverseOrderColumnName?: string;
}

interface Named {
  readonly name: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Finds the table of a model and inserts rows. */
interface Tables {
  of(uid: string): TableOfModel;
  insert(table: string, row: Values): void;
}

/** Inserts the data set into the tables that Strapi made, in one transaction. */
export function fill(sqlite: Sqlite, tableOf: Tables['of'], size: Size): void {
  const tables: Tables = { of: tableOf, insert: createInsert(sqlite) };
  sqlite.pragma('foreign_keys = OFF');
  sqlite.transaction(() => {
    for (const source of dataSet(size)) insertSource(source, tables);
    // Strapi makes the locale `en` itself.
    tables.insert(tableOf('plugin::i18n.locale').tableName, { name: 'German (de)', code: 'de' });
  })();
}

/** Prepares one statement for each table and set of columns. */
function createInsert(sqlite: Sqlite): Tables['insert'] {
  const statements = new Map<string, ReturnType<Sqlite['prepare']>>();
  return (table, row) => {
    const columns = Object.keys(row);
    const sql = `insert into "${table}" (${columns.map((name) => `"${name}"`).join(',')}) values (${columns.map(() => '?').join(',')})`;
    const statement = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, statement);
    statement.run(Object.values(row).map(toColumn));
  };
}

function toColumn(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function insertSource({ collection, count, make }: Source, tables: Tables): void {
  const uid = models.find(({ collectionName }) => collectionName === collection)?.uid ?? 'plugin::upload.file';
  for (let id = 1; id <= count; id++) {
    const { _ranks = {}, ...values } = make(id) as MadeEntry & { readonly _ranks?: Values };
    insertEntry({ uid, id, values, ranks: _ranks }, tables);
    const localizations = tables.of(uid).attributes.localizations?.joinTable;
    if (localizations) insertLocalization(localizations, id, tables);
  }
}

/** The entries of two locales stand side by side: 1 with 2, 3 with 4. */
const insertLocalization = (table: JoinTable, id: number, { insert }: Tables): void => {
  insert(table.name, linkRow(table, { id, item: id % 2 === 1 ? id + 1 : id - 1, order: 1, rank: 1 }));
};

interface EntryToInsert {
  readonly uid: string;
  readonly id: number;
  readonly values: Values;
  /** By attribute: the entry's place in the list of the entry that it links to, or one for each of them by id. */
  readonly ranks: Values;
}

function insertEntry({ uid, id, values, ranks }: EntryToInsert, tables: Tables): void {
  const { tableName, attributes } = tables.of(uid);
  const row: Record<string, unknown> = { id };
  for (const [name, value] of Object.entries(values)) {
    const attribute = attributes[name];
    if (attribute?.columnName !== undefined) row[attribute.columnName] = value;
    else if (attribute) insertLinks({ uid, id, name, attribute, value, rank: ranks[name] }, tables);
  }
  tables.insert(tableName, row);
}

interface LinksToInsert {
  readonly uid: string;
  readonly id: number;
  readonly name: string;
  readonly attribute: StoredAttribute;
  readonly value: unknown;
  readonly rank: unknown;
}

function insertLinks({ value, ...links }: LinksToInsert, tables: Tables): void {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : value === null ? [] : [value];
  for (const [index, item] of items.entries()) insertLink({ ...links, item, order: index + 1 }, tables);
}

type LinkToInsert = Omit<LinksToInsert, 'value'> & { readonly item: unknown; readonly order: number };

function insertLink({ uid, id, name, attribute, item, order, rank }: LinkToInsert, tables: Tables): void {
  const { joinTable, target = '' } = attribute;
  if (joinTable === undefined) {
    const { table, idColumn, typeColumn } = mediaTable(tables.of(target), attribute);
    tables.insert(table.name, { [table.joinColumn.name]: item, [idColumn.name]: id, [typeColumn.name]: uid, field: name, order });
    return;
  }
  if (typeof item !== 'object') {
    tables.insert(joinTable.name, linkRow(joinTable, { id, item, order, rank }));
    return;
  }
  const { id: part, __component: kind = target, ...values } = item as Component;
  insertEntry({ uid: kind, id: part, values, ranks: {} }, tables);
  tables.insert(joinTable.name, { entity_id: id, component_id: part, component_type: kind, field: name, order });
}

type Component = Values & { readonly id: number; readonly __component?: string };

/** The table that ties files to entries of any model. Throws an Error if there is none. */
function mediaTable({ tableName, attributes }: TableOfModel, { morphBy = '' }: StoredAttribute) {
  const table = attributes[morphBy]?.joinTable;
  if (table?.morphColumn === undefined) throw new Error(`"${morphBy}" of ${tableName} has no table of links`);
  return { table, ...table.morphColumn };
}

interface Link {
  readonly id: number;
  readonly item: unknown;
  readonly order: number;
  readonly rank: unknown;
}

function linkRow({ joinColumn, inverseJoinColumn, ...table }: JoinTable, { id, item, order, rank }: Link): Values {
  const inverse = typeof rank === 'object' && rank !== null ? (rank as Values)[String(item)] : rank;
  return {
    [joinColumn.name]: id,
    [inverseJoinColumn?.name ?? '']: item,
    ...(table.orderColumnName !== undefined && { [table.orderColumnName]: order }),
    ...(table.inverseOrderColumnName !== undefined && { [table.inverseOrderColumnName]: inverse ?? order }),
  };
}
