import { validationError } from '#base/errors.js';
import type { ContentType } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { VisibleContext } from './bind-context.js';
import { bindVisible } from './bind-nested.js';
import { allOf, localeIn, orNull } from './conditions.js';
import type { Condition } from './plan.js';

/** The conditions on the locale of an entry, and on those of its localizations. */
export interface BoundFallback {
  readonly locales: readonly Condition[];
  readonly fallback: readonly Condition[];
}

/**
 * Binds the locale of a query and those whose entries take the place of missing ones. What the caller may not see is missing. Throws
 * a ValidationError for types without localization, lists of locales, and unknown codes.
 */
export function bindFallback(
  { locale, filter, search }: Query,
  fallbackLocales: readonly string[],
  type: ContentType,
  context: VisibleContext,
): BoundFallback {
  if (!type.localized) throw invalid(`${type.uid} is not localized`);
  const { defaultLocale, locales: known } = context;
  if (locale === 'all' || (locale !== null && typeof locale !== 'string'))
    throw validationError('Invalid parameter locale: expected one locale beside fallbackLocale');
  const codes = [...new Set([locale ?? defaultLocale, ...fallbackLocales])];
  const unknown = codes.find((code) => !known.includes(code));
  if (unknown !== undefined) {
    const isFirst = unknown === locale;
    throw isFirst ? validationError('Invalid parameter locale: there is no such locale') : invalid('there is no such locale');
  }
  const visible = orNull(allOf(bindVisible(type, context)));
  const isAlone = filter === null && search === null;
  return { locales: [localeIn(codes)], fallback: [{ kind: 'fallback', type, locales: codes, visible, isAlone }] };
}

const invalid = (reason: string): Error => validationError(`Invalid parameter fallbackLocale: ${reason}`);
