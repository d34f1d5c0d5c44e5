import type { Filter } from './meets-filter.js';
import { holderOf, type Holder } from './world.js';

export interface Key {
  readonly path: readonly string[];
  readonly order: 'asc' | 'desc';
}

/** The parameters of a list. */
export interface List {
  readonly filter: Filter | null;
  readonly sort: readonly Key[];
  readonly start: number | null;
  readonly limit: number | null;
  /** Null for what has no drafts. */
  readonly state: 'live' | 'preview' | null;
}

/** What is asked of each row: its fields, and by name what it leads to. */
export interface Asked {
  readonly fields: readonly string[];
  readonly leads: Readonly<Record<string, AskedLead>>;
  /** Of dynamic zones and polymorphic relations: something else for each holder. */
  readonly fragments: Readonly<Record<string, Readonly<Record<string, AskedLead>>>>;
  /** Whether GraphQL asks for all of it in a fragment, which means the same. */
  readonly inFragment: boolean;
}

export interface AskedLead extends List {
  readonly asked: Asked;
}

/** A question about the entries of a type, or about one of them. */
export interface Question extends AskedLead {
  readonly type: string;
  readonly id: number | null;
  readonly locale: string | null;
  /** Whether the total is asked for as well. */
  readonly counts: boolean;
  readonly page: { readonly page: number; readonly pageSize: number } | null;
}

/** Whether a question cannot be expressed in GraphQL. */
export const isRestOnly = ({ type, asked, filter }: Question): boolean =>
  hasRestWords(filter) || askedRestOnly(holderOf(type), asked);

const hasRestWords = (filter: Filter | null): boolean => /\$(starts|ends)Withi/.test(JSON.stringify(filter));

const askedRestOnly = (holder: Holder, { leads, fragments }: Asked): boolean =>
  Object.entries(leads).some(([name, lead]) => {
    const { to, many } = { ...holder.links, ...holder.parts }[name] ?? { to: name, many: false };
    const target = holderOf(to);
    const isPlain = many || (lead.filter === null && lead.state !== 'live');
    // over GraphQL, lists of types without drafts do not take the publication state of what is around them
    const isCounted = target.plural === null || lead.state !== null || !/\$none|\$every/.test(JSON.stringify(lead.filter));
    return !isPlain || !isCounted || hasRestWords(lead.filter) || askedRestOnly(target, lead.asked);
  }) ||
  Object.values(fragments).some((group) =>
    Object.entries(group).some(([to, lead]) => !isWhole(lead) || askedRestOnly(holderOf(to), lead.asked)),
  );

const isWhole = ({ filter, sort, start, limit, state }: List): boolean =>
  filter === null && sort.length === 0 && start === null && limit === null && state !== 'live';
