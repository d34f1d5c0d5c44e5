import { validationError } from '../../errors.js';
import type { Query } from '../../query/ast.js';

/** The most entries that a query may load: the size of its list, times what each of them brings along. */
export function queryCost(query: Query): number {
  const nested = query.populate.fields.map(({ query: inner, on }) =>
    on === null ? queryCost(inner) : Math.max(0, ...[...on.values()].map(queryCost)),
  );
  return sizeOf(query) * nested.reduce((sum, cost) => sum + cost, 1);
}

const sizeOf = ({ pagination }: Query): number => {
  const size = pagination?.kind === 'offset' ? (pagination.limit ?? 1) : 1;
  return size === -1 ? unlimited : size;
};

/** What a list without any limit counts as. */
const unlimited = 100;

/** Adds up what the root fields of one request cost, all operations of a batch together. Throws a ValidationError once that is over the maximum. */
export function createCostMeter(maximum: number): (query: Query) => void {
  let spent = 0;
  return (query) => {
    spent += queryCost(query);
    if (spent > maximum)
      throw validationError(
        `The query asks for up to ${String(spent)} entries, ${String(maximum)} are allowed: ask for smaller pages`,
      );
  };
}
