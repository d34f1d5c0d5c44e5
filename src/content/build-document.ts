import { ApiError, validationError } from '#base/errors.js';
import { linkRanks, localeGroup } from '#store/form/layout.js';
import type { EntryDocument } from '#store/write/write-entries.js';
import { optionDefaults } from '#model/schema/added-attributes.js';
import { sharedUniquePaths } from '#model/schema/attribute-places.js';
import { plainScalar } from '#model/schema/code-values.js';
import type { ContentType } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { isRecord, type Values } from '#base/values.js';
import { nextRank } from './build-parts.js';
import type { EntryWrite } from './build-write.js';
import type { ContentContext } from './content-context.js';

/** The times of an entry, which only code can set. */
const times = ['createdAt', 'updatedAt'] as const;

/**
 * Returns accepted data with the times in the data of code, as dates. Throws a ValidationError that names the time if it is no
 * date.
 */
export function withTimes(accepted: Values, data: unknown): Values {
  const givenTimes = isRecord(data)
    ? times.filter((name) => data[name] !== undefined).map((name) => [name, data[name]] as const)
    : [];
  if (givenTimes.length === 0) return accepted;
  return {
    ...accepted,
    ...Object.fromEntries(givenTimes.map(([name, value]) => [name, value === null ? null : toDate(name, value)])),
  };
}

function toDate(name: string, value: unknown): unknown {
  try {
    return scalarTypes.datetime.store(plainScalar(value), name);
  } catch (error) {
    throw error instanceof ApiError ? validationError(`${name}: ${error.message}`) : error;
  }
}

/** Returns the times in accepted data. */
const timesIn = (data: Values): Values =>
  Object.fromEntries(times.filter((name) => Object.hasOwn(data, name)).map((name) => [name, data[name]]));

/** Returns what the writer of an update leaves in the entry besides its data: the times, and who it was unless code has set it. */
export const marksOfUpdate = (data: Values, { author }: ContentContext): Values => ({
  ...timesIn(data),
  ...(author !== undefined && !Object.hasOwn(data, 'updatedBy') && { updatedBy: author }),
});

/** Returns the data of a new entry with its times, its locale, and the date of its publication unless it becomes a draft. */
export function stampNewEntry(type: ContentType, data: Values, { createsDrafts, bind }: ContentContext): Values {
  const now = new Date();
  return {
    createdAt: now,
    updatedAt: now,
    ...(type.draftAndPublish && !createsDrafts && { publishedAt: now }),
    ...(type.localized && { locale: bind.defaultLocale }),
    ...data,
  };
}

/** Returns the data of an update with its time. As in Strapi v4, only code around the write can set another one. */
export const stampUpdate = (data: Values): Values => ({ ...data, updatedAt: new Date() });

interface DocumentContext {
  readonly id: number;
  /** The localization group that the entry joins; null if it starts its own. */
  readonly group: number | null;
  readonly context: ContentContext;
}

/** Returns the document of a new entry. It is a draft unless its data has a date of publication. */
export function buildDocument(
  type: ContentType,
  data: Values,
  { values }: EntryWrite,
  { id, group, context }: DocumentContext,
): EntryDocument {
  const now = new Date();
  const state = type.draftAndPublish ? { publishedAt: values['publishedAt'] ?? null } : {};
  const locale = type.localized ? { locale: values['locale'] ?? context.bind.defaultLocale } : {};
  const member = type.kind === 'singleType' ? localeGroup.match(1) : type.localized ? localeGroup.match(group ?? id) : {};
  const lead = group === null && mayLead(type, context) ? localeGroup.leading : {};
  if (group !== null) linkRanks.set(values, linkRanks.order, nextRank(), 'create');
  const { author } = context;
  const writer = author === undefined ? {} : { createdBy: author, updatedBy: author };
  const marks = { createdAt: now, updatedAt: now, ...timesIn(data) };
  return { _id: id, ...writer, ...values, ...optionDefaults(type), ...marks, ...state, ...locale, ...member, ...lead };
}

/** Returns whether entries of a type may lead their group, because it has unique values that all locales share. */
export const mayLead = (type: ContentType, { bind }: ContentContext): boolean =>
  sharedUniquePaths(type, bind.registry).length > 0;
