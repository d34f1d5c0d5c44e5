import fc from 'fast-check';
import type { Filter } from './meets-filter.js';
import type { Key } from './question.js';
import { holderOf, operands, type Holder, type Kind, type Lead } from './world.js';

type Arbitrary<T> = fc.Arbitrary<T>;

const operand = (kind: Kind): Arbitrary<unknown> => fc.constantFrom(...operands[kind]);
const oneOperand = (names: readonly string[], kind: Kind): Arbitrary<Filter>[] =>
  names.map((name) => operand(kind).map((value) => ({ [name]: value })));
const lists = (kind: Kind): Arbitrary<Filter>[] =>
  ['$in', '$notIn'].map((name) => fc.array(operand(kind), { minLength: 1, maxLength: 3 }).map((values) => ({ [name]: values })));
const nulls = ['$null', '$notNull'].map((name) => fc.boolean().map((value): Filter => ({ [name]: value })));
const between = (kind: Kind): Arbitrary<Filter> => fc.tuple(operand(kind), operand(kind)).map((pair) => ({ $between: pair }));

const equality = ['$eq', '$ne'];
const order = ['$lt', '$lte', '$gt', '$gte'];
const texts = ['$eqi', '$nei', '$contains', '$notContains', '$containsi', '$notContainsi', '$startsWith', '$endsWith'];

/** The operators of each kind. Those of text work on numbers as well; GraphQL has no `startsWithi` and `endsWithi`. */
const operatorsOf: Readonly<Record<Kind, readonly string[]>> = {
  text: [...equality, ...order, ...texts, '$startsWithi', '$endsWithi'],
  choice: [...equality, '$contains'],
  whole: [...equality, ...order, ...texts],
  float: [...equality, ...order, ...texts],
  flag: equality,
  day: [...equality, ...order],
  moment: [...equality, ...order],
  json: [...equality, ...order, ...texts],
};

function testOf(kind: Kind): Arbitrary<Filter> {
  const pairs = ['whole', 'float', 'day', 'moment', 'json'].includes(kind) ? [between(kind)] : [];
  const test = fc.oneof(...oneOperand(operatorsOf[kind], kind), ...lists(kind), ...pairs, ...nulls);
  return fc.oneof({ weight: 5, arbitrary: test }, { weight: 1, arbitrary: test.map((inner) => ({ $not: inner })) });
}

const nest = (name: string, inner: Arbitrary<Filter>): Arbitrary<Filter> => inner.map((value) => ({ [name]: value }));

/** Relations and components, but for those that are left out. */
const leadsOf = ({ links, parts }: Holder, left: readonly string[]) =>
  Object.entries({ ...parts, ...links }).filter(([name]) => !left.includes(name));

export function filterOf(holder: Holder, depth: number): Arbitrary<Filter> {
  const fields = Object.entries(holder.fields).map(([name, kind]) => nest(name, testOf(kind)));
  const leads =
    depth === 0
      ? []
      : [
          ...leadsOf(holder, [...holder.unfiltered, ...holder.quantified]).map(([name, lead]) =>
            nest(name, leadFilter(name, lead, holder, depth - 1)),
          ),
          ...holder.quantified.map((name) =>
            nest(name, plainlyQuantified(filterOf(holderOf(holder.links[name]?.to ?? ''), depth - 1))),
          ),
        ];
  const id = holder.plural === null ? [] : [nest('id', testOf('whole'))]; // GraphQL has no ids in filters of components
  const leaf = fc.oneof(...fields, ...id, ...leads);
  const several = fc.array(leaf, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 6, arbitrary: leaf },
    { weight: 2, arbitrary: fc.tuple(leaf, leaf).map(([left, right]) => ({ ...left, ...right })) },
    { weight: 1, arbitrary: several.map((filters) => ({ $and: filters })) },
    { weight: 1, arbitrary: several.map((filters) => ({ $or: filters })) },
    { weight: 1, arbitrary: leaf.map((inner) => ({ $not: inner })) },
  );
}

/** The filter of a relation or component. Lists have quantifiers. */
function leadFilter(name: string, { to, many }: Lead, { parts }: Holder, depth: number): Arbitrary<Filter> {
  const inner = filterOf(holderOf(to), depth);
  if (name in parts && !many) return inner;
  return fc.oneof(
    { weight: 2, arbitrary: inner },
    { weight: 1, arbitrary: quantifiedOf(inner) },
    { weight: 1, arbitrary: besides(inner) },
  );
}

/** A quantifier, or its denial. */
const quantifiedOf = (inner: Arbitrary<Filter>): Arbitrary<Filter> =>
  fc.oneof(
    { weight: 4, arbitrary: plainlyQuantified(inner) },
    { weight: 1, arbitrary: plainlyQuantified(inner).map((filter) => ({ $not: filter })) },
  );

const plainlyQuantified = (inner: Arbitrary<Filter>): Arbitrary<Filter> =>
  fc.tuple(quantifier, inner).map(([name, filter]) => ({ [name]: filter }));

/** A quantifier beside conditions without one. */
const besides = (inner: Arbitrary<Filter>): Arbitrary<Filter> =>
  fc.tuple(quantifiedOf(inner), inner).map(([quantified, plain]) => ({ ...plain, ...quantified }));

const quantifier = fc.constantFrom('$none', '$every', '$some');

/** Lists of components are sorted by nothing behind a relation. */
export function keyOf(holder: Holder, depth: number, throughLinks = true): Arbitrary<Key> {
  const direction = fc.constantFrom('asc' as const, 'desc' as const);
  const names = Object.keys(holder.fields).filter((name) => holder.fields[name] !== 'json');
  const own = fc.tuple(fc.constantFrom('id', ...names), direction);
  const leads =
    depth === 0
      ? []
      : leadsOf({ ...holder, ...(!throughLinks && { links: {} }) }, holder.unsorted).map(([name, { to }]) =>
          keyOf(holderOf(to), depth - 1, throughLinks).map(({ path, ...key }) => ({ path: [name, ...path], ...key })),
        );
  const leaf = own.map(([name, order]): Key => ({ path: [name], order }));
  return leads.length > 0 ? fc.oneof({ weight: 2, arbitrary: leaf }, ...leads) : leaf;
}
