import { Decimal128, type Document } from 'mongodb';
import { isExactDouble } from '#model/schema/decimals.js';
import { compareStored } from '#model/schema/stored-values.js';

/**
 * The forms in which numbers of the same digits are stored: as a double, and by programs that keep decimal digits as Decimal128. Those of
 * 0.1 are different numbers, those of 0.5 are equal, so that one does for both.
 */
const formsOf = (operand: unknown): readonly unknown[] =>
  typeof operand !== 'number' || isExactDouble(operand) ? [operand] : [operand, Decimal128.fromString(String(operand))];

const sortedForms = (operand: unknown): readonly unknown[] =>
  [...formsOf(operand)].sort((one, other) => compareStored(one, other));

/** Returns the least number that has the same digits as a number. Other values are returned unchanged. */
export const leastForm = (operand: unknown): unknown => sortedForms(operand)[0];

const greatestForm = (operand: unknown): unknown => sortedForms(operand).at(-1);

const formsIn = (operand: unknown): readonly unknown[] => (operand as readonly unknown[]).flatMap(formsOf); // of a list

function equal(one: string, some: string): (operand: unknown) => Document {
  return (operand) => {
    const forms = formsOf(operand);
    return forms.length === 1 ? { [one]: operand } : { [some]: forms };
  };
}

const rules: Readonly<Record<string, (operand: unknown) => Document>> = {
  $eq: equal('$eq', '$in'),
  $ne: equal('$ne', '$nin'),
  $in: (operand) => ({ $in: formsIn(operand) }),
  $nin: (operand) => ({ $nin: formsIn(operand) }),
  $lt: (operand) => ({ $lt: leastForm(operand) }),
  $lte: (operand) => ({ $lte: greatestForm(operand) }),
  $gt: (operand) => ({ $gt: greatestForm(operand) }),
  $gte: (operand) => ({ $gte: leastForm(operand) }),
};

/** Returns a query of values that also compares numbers that are stored as Decimal128 by their digits. */
export function withDecimals(query: Document): Document {
  return Object.assign(
    {},
    ...Object.entries(query).map(([name, operand]) => rules[name]?.(operand) ?? { [name]: operand as unknown }),
  ) as Document;
}
