import { validationError } from '#base/errors.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type EngineParameters, offsetWindow } from './translate-query.js';

/** The parameters of a read of groups, and how its rows become groups. */
interface GroupedRead<Row extends object> {
  /** The parameters that read all rows, in the order of the groups. */
  readonly parameters: EngineParameters;
  /** Returns a row for each group, of the page that was asked for. */
  readonly group: (rows: readonly Row[]) => Row[];
}

/** Maximum number of entries that are read for groups, because they are grouped in memory. */
const mostGrouped = 100_000;

/**
 * Returns the read of distinct values that `groupBy` asks for, as Strapi v4 answers it; null if there is no `groupBy`. Throws a
 * ValidationError unless `select` names only what is grouped by: other values would be those of any entry of a group. `group` throws one
 * for too many entries.
 */
export function groupedRead<Row extends object>(parameters: EngineParameters, type: ContentType): GroupedRead<Row> | null {
  const { groupBy, select, orderBy, offset, limit, ...rest } = parameters;
  if (groupBy === undefined) return null;
  const names = [groupBy].flat();
  const selected = [select ?? []].flat();
  const other = names.find((name) => name !== 'id' && type.attributes.get(name)?.kind !== 'scalar');
  if (other !== undefined) throw validationError(`Invalid parameter groupBy: ${other} is no value of ${type.uid}`);
  if (selected.length === 0 || selected.some((name) => !names.includes(name)) || rest.populate !== undefined)
    throw validationError(`Invalid parameter groupBy: select must name some of ${names.join(', ')}, and populate nothing`);
  const { start, limit: size } = offsetWindow({ offset, limit });
  const end = size < 0 ? undefined : start + size;
  return {
    parameters: { ...rest, select: names, orderBy: orderBy ?? names, limit: mostGrouped + 1 },
    group: (rows) => {
      if (rows.length > mostGrouped)
        throw validationError(
          `Invalid parameter groupBy: more than ${String(mostGrouped)} entries meet where, which must name fewer`,
        );
      const groups = distinct(rows, names).slice(start, end);
      return groups.map((row) => pick(row, selected));
    },
  };
}

const distinct = <Row extends object>(rows: readonly Row[], names: readonly string[]): Row[] => [
  ...new Map(rows.map((row) => [JSON.stringify(Object.values(pick(row, names))), row])).values(),
];

const pick = <Row extends object>(row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(row, name) as unknown])) as Row; // some of its values
