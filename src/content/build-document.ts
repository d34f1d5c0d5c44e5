import { inGroup, leading, orderField, setRanks } from '../mongo/form/layout.js';
import type { EntryDocument } from '../mongo/write/write-entries.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { nextRank } from './build-parts.js';
import type { EntryWrite } from './build-write.js';
import { marksOfCreator, timesIn } from './given-times.js';
import type { ContentContext } from './content-context.js';
import { mayLead } from './pass-lead.js';

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
  const member = type.kind === 'singleType' ? inGroup(1) : type.localized ? inGroup(group ?? id) : {};
  const lead = group === null && mayLead(type, context) ? leading : {};
  if (group !== null) setRanks(values, orderField, nextRank(), 'create');
  const marks = { createdAt: now, updatedAt: now, ...timesIn(data), ...marksOfCreator(context) };
  return { _id: id, ...values, ...marks, ...state, ...locale, ...member, ...lead };
}
