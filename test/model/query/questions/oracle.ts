import { holderOfRow, rowsAt, type Row } from './link-rows.js';
import { compareValues, meetsFilter, type Filter } from './meets-filter.js';
import type { Asked, AskedLead, Key, List, Question } from './question.js';
import { holderOf, holders } from './world.js';

/** An answer without the spelling of a front end. */
export interface Answer {
  /** At most one if one entry was asked for. */
  readonly entries: readonly unknown[];
  /** Null unless it was asked for. */
  readonly total: number | null;
  /** Null unless it was asked for with a page. */
  readonly pageCount: number | null;
}

/** Returns the expected answer. */
export function answerOf(question: Question, tables: Readonly<Record<string, readonly Row[]>>): Answer {
  const { type, id, asked, page, locale, counts } = question;
  const state = question.state ?? (id === null ? 'live' : 'preview');
  const rows = tables[holderOf(type).plural ?? ''] ?? [];
  if (id !== null) {
    const found = rows.filter((row) => row['id'] === id);
    return { entries: found.map((row) => showRow(row, asked, state)), total: null, pageCount: null };
  }
  const local = holderOf(type).localized && locale !== 'all' ? rows.filter((row) => row['locale'] === (locale ?? 'en')) : rows;
  const all = choose(local, { ...question, start: null, limit: null }, state);
  const shown = page === null ? cut(all, question) : all.slice((page.page - 1) * page.pageSize, page.page * page.pageSize);
  return {
    entries: shown.map((row) => showRow(row, asked, state)),
    total: counts ? all.length : null,
    pageCount: page === null || !counts ? null : Math.ceil(all.length / page.pageSize),
  };
}

const leadNames = new Set(Object.values(holders).flatMap(({ links, parts }) => [...Object.keys(links), ...Object.keys(parts)]));

/** Components that are not repeatable. */
const partNames = new Set(
  Object.values(holders).flatMap(({ parts }) => Object.keys(parts).filter((name) => parts[name]?.many === false)),
);

type State = List['state'];

const isVisible = (row: Row, state: State): boolean =>
  !holderOfRow(row).drafts || state !== 'live' || row['publishedAt'] !== null;

const meets = (row: Row, filter: Filter, state: State): boolean =>
  meetsFilter(row, filter, {
    isLead: (name) => leadNames.has(name),
    isPart: (name) => partNames.has(name),
    isThere: (other) => isVisible(other, state),
  });

/** The rows of a list, filtered, sorted and cut. */
function choose(rows: readonly Row[], list: List, outer: State): readonly Row[] {
  const { filter, sort } = list;
  const state = list.state ?? outer;
  const visible = rows.filter((row) => isVisible(row, state));
  const met = filter === null ? visible : visible.filter((row) => meets(row, filter, state));
  return cut(sort.length === 0 ? met : sortRows(met, sort), list);
}

const cut = (rows: readonly Row[], { start, limit }: List): readonly Row[] =>
  rows.slice(start ?? 0, limit === null || limit === -1 ? undefined : (start ?? 0) + limit);

/**
 * Entries that are equal stand in the order of their ids, in the direction of the last key if an index sorts by it; components
 * stay where they stood.
 */
function sortRows(rows: readonly Row[], sort: readonly Key[]): readonly Row[] {
  const last = sort.at(-1);
  return [...rows].sort((left, right) => {
    const isDirected = last !== undefined && indexed.has(last.path.join('.'));
    const keys: readonly Key[] = [...sort, { path: ['id'], order: isDirected ? last.order : 'asc' }];
    for (const key of holderOfRow(left).plural === null ? sort : keys) {
      const difference = compareValues(sortValue(left, key), sortValue(right, key));
      if (difference !== 0) return key.order === 'asc' ? difference : -difference;
    }
    return 0;
  });
}

/** The attributes with an index, of any type: no other attribute has one of these names. */
const indexed = new Set(['id', 'createdAt', 'updatedAt', 'publishedAt', 'views', 'age']);

/** Returns the least of several values, or the greatest in descending order. */
function sortValue(row: Row, { path, order }: Key): unknown {
  const values = valuesAt([row], path).sort(compareValues);
  return (order === 'asc' ? values[0] : values.at(-1)) ?? null;
}

/** A component that is not there has nulls; a relation that leads nowhere has no values. */
function valuesAt(rows: readonly Row[], [name = '', ...rest]: readonly string[]): unknown[] {
  if (rest.length === 0) return rows.map((row) => row[name] ?? null);
  const next = rows.flatMap((row) => {
    const found = rowsAt(row, name);
    return found.length === 0 && (row['__type'] === undefined || holderOfRow(row).parts[name]?.many === false) ? [{}] : found;
  });
  return valuesAt(next, rest);
}

function showRow(row: Row, { fields, leads, fragments }: Asked, state: State): Record<string, unknown> {
  const holder = holderOfRow(row);
  const { links, parts, morphs } = holder;
  return {
    id: row['id'],
    ...Object.fromEntries(fields.map((name) => [name, row[name] ?? null])),
    ...Object.fromEntries(
      Object.entries(leads).map(([name, lead]) => {
        const shown = choose(rowsAt(row, name), lead, state).map((other) => showRow(other, lead.asked, lead.state ?? state));
        return [name, { ...links, ...parts }[name]?.many === true ? shown : (shown[0] ?? null)];
      }),
    ),
    ...Object.fromEntries(
      Object.entries(fragments).map(([name, group]) => [name, showGroup(rowsAt(row, name), group, name in morphs, state)]),
    ),
  };
}

/** Each type by its own fragment; what remains keeps its order. GraphQL shows no ids of polymorphic targets. */
function showGroup(rows: readonly Row[], group: Readonly<Record<string, AskedLead>>, isMorph: boolean, state: State): unknown[] {
  const kept = new Map(
    Object.entries(group).flatMap(([to, lead]) =>
      choose(
        rows.filter((row) => row['__type'] === to),
        lead,
        state,
      ).map((row) => [row, lead] as const),
    ),
  );
  return rows.flatMap((row) => {
    const lead = kept.get(row);
    if (lead === undefined) return [];
    const { id, ...shown } = showRow(row, lead.asked, lead.state ?? state);
    return [{ type: row['__type'], ...(!isMorph && { id }), ...shown }];
  });
}
