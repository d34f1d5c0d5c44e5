import type { Filter } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { ContentType } from '#model/schema/content-type.js';

type LocaleContext = Pick<BindContext, 'locales' | 'access'>;

/** Returns the locales of a type's entries, without those that the row rule of the caller excludes whatever else an entry has. */
export function visibleLocales({ uid }: ContentType, { locales, access }: LocaleContext): readonly string[] {
  const rule = access.rules.get(uid);
  return rule === undefined ? locales : locales.filter((locale) => outcomeOf(rule.filter, locale) !== false);
}

/** Returns whether all entries of a locale meet a filter; null if it depends on other values. `isBelow`: the filter is on the locale. */
function outcomeOf(filter: Filter, locale: string, isBelow = false): boolean | null {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const decisive = filter.kind === 'or';
      const outcomes = filter.filters.map((inner) => outcomeOf(inner, locale, isBelow));
      if (outcomes.includes(decisive)) return decisive;
      return outcomes.includes(null) ? null : !decisive;
    }
    case 'not': {
      const outcome = outcomeOf(filter.filter, locale, isBelow);
      return outcome === null ? null : !outcome;
    }
    case 'field':
      return filter.name === 'locale' && !isBelow ? outcomeOf(filter.filter, locale, true) : null;
    case 'comparison':
      return isBelow ? comparisonOutcome(filter, locale) : null;
    case 'quantifier':
    case 'near':
      return null;
  }
}

/** Returns the outcome of a comparison with a locale or a list of them; null for other operators. */
function comparisonOutcome({ operator, value }: Extract<Filter, { kind: 'comparison' }>, locale: string): boolean | null {
  const isAmong = [value].flat().includes(locale);
  if (operator === 'eq' || operator === 'in') return isAmong;
  return operator === 'ne' || operator === 'notIn' ? !isAmong : null;
}
