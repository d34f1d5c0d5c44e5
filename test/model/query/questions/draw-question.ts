import fc from 'fast-check';
import { filterOf, keyOf } from './draw-filter.js';
import type { Asked, AskedLead, List, Question } from './question.js';
import { holderOf, type Holder } from './world.js';

type Arbitrary<T> = fc.Arbitrary<T>;

const rarely = <T, N>(nothing: N, arbitrary: Arbitrary<T>, weight = 3): Arbitrary<T | N> =>
  fc.oneof({ withCrossShrink: true }, { weight, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary });

const stateOf = ({ drafts }: Holder): Arbitrary<'live' | 'preview' | null> =>
  drafts ? fc.constantFrom('live' as const, 'preview' as const) : fc.constant(null);

interface Reach {
  readonly depth: number;
  readonly throughLinks: boolean;
}

const listOf = (holder: Holder, { depth, throughLinks }: Reach): Arbitrary<List> =>
  fc.record({
    filter: rarely(null, filterOf(holder, depth), 2),
    sort: rarely([], fc.array(keyOf(holder, depth, throughLinks), { minLength: 1, maxLength: 2 }), 2),
    start: rarely(null, fc.integer({ min: 0, max: 4 })),
    limit: rarely(null, fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(-1))),
    state: stateOf(holder),
  });

/** A relation to one has no list arguments; what is asked of it otherwise is asked over REST alone. */
const oneOf = (holder: Holder): Arbitrary<List> =>
  fc.record({
    filter: rarely(null, filterOf(holder, 1), 8),
    sort: fc.constant([]),
    start: fc.constant(null),
    limit: fc.constant(null),
    state: holder.drafts ? rarely('preview' as const, fc.constant('live' as const), 8) : fc.constant(null),
  });

const plain = fc.constant<List>({ filter: null, sort: [], start: null, limit: null, state: null });

function askedOf(holder: Holder, depth: number): Arbitrary<Asked> {
  const leads = depth === 0 ? [] : Object.entries({ ...holder.links, ...holder.parts });
  const groups = depth === 0 ? [] : Object.entries({ ...holder.zones, ...holder.morphs });
  const optional = <T>(named: readonly (readonly [string, Arbitrary<T>])[]): Arbitrary<Record<string, T>> =>
    fc.tuple(...named.map(([, value]) => rarely(null, value, 4))).map((values) =>
      Object.fromEntries(
        named.flatMap(([name], index): [string, T][] => {
          const value = values[index] ?? null;
          return value === null ? [] : [[name, value]];
        }),
      ),
    );
  return fc.record({
    fields: fc.subarray(Object.keys(holder.fields)),
    leads: optional(leads.map(([name, lead]) => [name, leadOf(name, lead, depth)])),
    inFragment: fc.boolean(),
    fragments: optional(groups.map(([name, names]) => [name, optional(names.map((to) => [to, fragmentOf(to, depth)]))])),
  });
}

function leadOf(
  name: string,
  { to, many }: { readonly to: string; readonly many: boolean },
  depth: number,
): Arbitrary<AskedLead> {
  const holder = holderOf(to);
  const list = many ? listOf(holder, { depth: 1, throughLinks: holder.plural !== null }) : oneOf(holder);
  return withAsked(
    // without a sort localizations have an order of their own
    name === 'localizations'
      ? list.map(({ sort, ...rest }) => ({ ...rest, sort: [...sort, { path: ['id'], order: 'asc' as const }] }))
      : list,
    askedOf(holder, depth - 1),
  );
}

/** Fragments are cut over REST alone. */
function fragmentOf(to: string, depth: number): Arbitrary<AskedLead> {
  const holder = holderOf(to);
  const cut = listOf(holder, { depth: 1, throughLinks: holder.plural !== null });
  const whole = plain.map((list) => ({ ...list, state: holder.drafts ? ('preview' as const) : null }));
  return withAsked(
    rarely(null, cut, 8).chain((list) => (list === null ? whole : fc.constant(list))),
    askedOf(holder, depth - 1),
  );
}

const withAsked = <L extends List>(list: Arbitrary<L>, asked: Arbitrary<Asked>): Arbitrary<L & { readonly asked: Asked }> =>
  fc.tuple(list, asked).map(([one, inner]) => ({ ...one, asked: inner }));

const questionOf = (type: string): Arbitrary<Question> => {
  const holder = holderOf(type);
  const list = listOf(holder, { depth: 2, throughLinks: true });
  const page = fc.record({ page: fc.integer({ min: 1, max: 4 }), pageSize: fc.integer({ min: 1, max: 9 }) });
  const rest = fc.record({
    id: rarely(null, fc.integer({ min: 1, max: 26 }), 7),
    locale: holder.localized ? fc.constantFrom(null, 'en', 'fr', 'all') : fc.constant(null),
    page: rarely(null, page, 1),
    counts: rarely(false, fc.constant(true), 2),
  });
  return fc
    .tuple(withAsked(list, fc.oneof(...[0, 0, 1, 1, 2, 3].map((depth) => askedOf(holder, depth)))), rest)
    .map(([asked, more]) => ({ type, ...asked, ...more, ...(more.page !== null && { start: null, limit: null }) }));
};

/** Any question, about articles most often. */
export const question: Arbitrary<Question> = fc.oneof(
  { weight: 3, arbitrary: questionOf('article') },
  { weight: 1, arbitrary: questionOf('person') },
  { weight: 1, arbitrary: questionOf('tag') },
);
