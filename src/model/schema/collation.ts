import { didYouMean } from '#base/nearest-name.js';
import type { ScalarAttribute, ScalarType } from './content-type.js';
import type { AttributeDefinition, Model } from './model.js';

/** The locales of collations of MongoDB, which are those of ICU 57. */
const locales = (
  'af am ar as az be bg bn bs bs_Cyrl ca chr cs cy da de de_AT dsb dz ee el en en_US en_US_POSIX eo es et fa fa_AF fi fil fo fr fr_CA ' +
  'ga gl gu ha haw he hi hr hsb hu hy id ig is it ja ka kk kl km kn ko kok ky lb lkt ln lo lt lv mk ml mn mr ms mt my nb ne nl nn om or ' +
  'pa pl ps pt ro ru se si sk sl smn sq sr sr_Latn sv sw ta te th to tr uk ur vi wae yi yo zh zh_Hant zu'
).split(' ');

/** Other orders of a language, as MongoDB names them, and as `Intl.Collator` does. */
const orders: Readonly<Record<string, string>> = {
  ...{ 'ar@collation=compat': 'ar-u-co-compat', 'bn@collation=traditional': 'bn-u-co-trad', 'de@collation=eor': 'de-u-co-eor' },
  ...{ 'de@collation=phonebook': 'de-u-co-phonebk', 'de_AT@collation=phonebook': 'de-AT-u-co-phonebk' },
  ...{
    'en@collation=eor': 'en-u-co-eor',
    'es@collation=traditional': 'es-u-co-trad',
    'fi@collation=traditional': 'fi-u-co-trad',
  },
  ...{
    'ja@collation=unihan': 'ja-u-co-unihan',
    'kn@collation=traditional': 'kn-u-co-trad',
    'ko@collation=unihan': 'ko-u-co-unihan',
  },
  ...{ 'ln@collation=phonetic': 'ln-u-co-phonetic', 'si@collation=dictionary': 'si-u-co-dict' },
  ...{ 'vi@collation=traditional': 'vi-u-co-trad', 'zh@collation=big5han': 'zh-u-co-big5han' },
  ...{
    'zh@collation=gb2312han': 'zh-u-co-gb2312',
    'zh@collation=unihan': 'zh-u-co-unihan',
    'zh@collation=zhuyin': 'zh-u-co-zhuyin',
  },
};

/** The collation that compares code points, as MongoDB calls it. An attribute names it if that of its type does not hold for it. */
const simple = 'simple';

/** The names that models may state. */
export const collationNames: readonly string[] = [...locales, ...Object.keys(orders), simple];

/** The types whose values have an order of languages. */
const ordered: ReadonlySet<string> = new Set<ScalarType>(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);

/** Returns the collation of an attribute: its own, or that of its type or component; null if its values are compared by code points. */
export function collationOfAttribute(
  { type, collation }: AttributeDefinition,
  { options }: Pick<Model, 'options'>,
): string | null {
  const stated = ordered.has(type) ? (collation ?? options?.collation ?? simple) : simple;
  return stated === simple ? null : stated;
}

/** Returns the name of the collation that the texts of an attribute are sorted by; null if its values are no texts of a language. */
export const textCollation = ({ type, collation = simple }: Pick<ScalarAttribute, 'type' | 'collation'>): string | null =>
  ordered.has(type) ? collation : null;

/** Returns what is wrong with the collations of a model, one line each. */
export function collationProblems({ options, attributes }: Model): string[] {
  const stated = Object.entries(attributes).map(([name, { collation }]) => [`attributes.${name}.collation`, collation] as const);
  return [['options.collation', options?.collation] as const, ...stated].flatMap(([place, name]) =>
    name === undefined || collationNames.includes(name) ? [] : [`${place}: ${problemOf(name)}`],
  );
}

const problemOf = (name: string): string =>
  `${JSON.stringify(name)} is not a locale of the collations of MongoDB${didYouMean(name, collationNames)}; expected one such as "de", "fr_CA" or "simple"`;

/** Returns a warning if the collation of an attribute has no effect. */
export const collationWarnings = ({ type, collation }: AttributeDefinition): string[] =>
  collation === undefined || ordered.has(type) ? [] : [`.collation has no effect for type ${type}`];

/** Returns the comparison of two texts in the order of a collation: a negative number, 0 or a positive one. */
export function comparisonOf(collation: string): (left: string, right: string) => number {
  const cached = comparisons.get(collation);
  if (cached !== undefined) return cached;
  const { compare } = new Intl.Collator(orders[collation] ?? collation.replace('_POSIX', '-u-va-posix').replaceAll('_', '-'));
  comparisons.set(collation, compare);
  return compare;
}

const comparisons = new Map<string, (left: string, right: string) => number>();
