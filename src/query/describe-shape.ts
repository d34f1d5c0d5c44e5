import type { Condition, Plan } from './plan.js';

/** Maximum number of characters of a description. */
const longest = 500;

/**
 * Returns what a list compares and how it is sorted, without the values: `title containsi and author(name eq), sorted by rating desc`.
 */
export function describeShape({ condition, sort }: Pick<Plan, 'condition' | 'sort'>): string {
  const compared = condition === null ? [] : [describe(condition)];
  const sorted = sort.map(
    ({ links, path, order }) => `${[...links.map((link) => link.path), path].join('.')} ${direction(order)}`,
  );
  const text = [...compared, ...(sorted.length > 0 ? [`sorted by ${sorted.join(', ')}`] : [])].join(', ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const direction = (order: 1 | -1): string => (order === 1 ? 'asc' : 'desc');

function describe(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return [...new Set(condition.conditions.map((one) => (one.kind === 'or' ? `(${describe(one)})` : describe(one))))].join(
        ` ${condition.kind} `,
      );
    case 'comparison':
      return `${condition.path} ${condition.denied ? 'not ' : ''}${condition.comparator}`;
    case 'search':
      return 'search';
    case 'element':
    case 'related':
      return `${condition.path}(${describe(condition.condition)})`;
  }
}
