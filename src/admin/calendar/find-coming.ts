import { unpagedSettings } from '#api/code/content-of-code.js';
import { invalidParameter, validationError } from '#base/errors.js';
import { textOrNull, type Values } from '#base/values.js';
import { findMany } from '#content/find-many.js';
import { readable } from '#model/query/access.js';
import { comparing, emptyQuery, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { hasSchedule, scheduledNames } from '#model/schema/scheduled.js';
import { is, matchesAll } from '#store/form/matches.js';
import type { AdminCall } from '../api/admin-call.js';
import { textParameter } from '../api/admin-row.js';
import { type Actor, actorOf } from '../releases/actor.js';
import { listComing } from '../releases/release.js';
import { mainField, readContext, visibleTo } from '../releases/show-release.js';
import { shownTypes } from '../rights/actions.js';
import { showAll } from '../show-entries.js';

/** Something that happens to an entry, or to all of a release, at a time. */
interface Coming {
  readonly at: Date;
  readonly action: 'publish' | 'unpublish' | 'release';
  /** Absent for a release. */
  readonly uid?: string;
  readonly id: number;
  /** The main field of the entry, or the name of the release; null if it is empty or hidden. */
  readonly label: string | null;
  readonly locale?: string | null;
}

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** Maximum number of events that are answered. */
const most = 500;

/** Milliseconds of the longest span. */
const longest = 100 * 86_400_000;

/** Answers what is to come between two times, as far as the caller may read it, the first events of them. */
export async function answerCalendar(call: AdminCall): Promise<readonly Coming[]> {
  const span = { from: timeIn(call, 'from'), to: timeIn(call, 'to') };
  if (!(span.from < span.to) || span.to.getTime() - span.from.getTime() > longest)
    throw validationError('to must be after from, at most 100 days later');
  const actor = actorOf(call);
  const types = shownTypes(actor.content.bind.registry).filter(hasSchedule);
  const events: Coming[] = [...(await comingReleases(span, actor))];
  for (const type of types) for (const name of scheduledNames) events.push(...(await comingEntries(type, name, span, actor)));
  return events.sort((one, other) => one.at.getTime() - other.at.getTime()).slice(0, most);
}

function timeIn({ request }: AdminCall, name: 'from' | 'to'): Date {
  const text = textParameter(request, name) ?? '';
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw invalidParameter(name);
}

async function comingReleases({ from, to }: Span, actor: Actor): Promise<readonly Coming[]> {
  const match = matchesAll({ at: is.atLeast(from) }, { at: is.below(to) }, visibleTo(actor));
  const releases = await listComing(actor.content.store.database, match, most);
  return releases.flatMap(({ _id: id, name, at }) => (at === null ? [] : [{ at, action: 'release' as const, id, label: name }]));
}

type ScheduledName = (typeof scheduledNames)[number];

/** Returns the entries of a type with a time in a span that somebody may read. */
async function comingEntries(type: ContentType, name: ScheduledName, span: Span, actor: Actor): Promise<readonly Coming[]> {
  const context = readContext(type, actor);
  if (context === null || readable(type, name, context.bind.access) === null) return [];
  const main = await mainField(type, context, actor);
  const settings = { ...unpagedSettings(context.bind.settings), strict: false };
  const page = await findMany(type, queryOf(type, { name, main, span }), { ...context, bind: { ...context.bind, settings } });
  const shown = showAll([...page.entries], context) as readonly Values[]; // flat entries
  return shown.map(({ id, locale, [main]: value, [name]: at }) => ({
    ...{
      at: new Date(at as string | Date),
      action: name === 'publishAt' ? 'publish' : 'unpublish',
      uid: type.uid,
      id: Number(id),
    },
    ...{ label: main === 'id' ? null : textOrNull(value), locale: textOrNull(locale) },
  }));
}

interface CalendarSearch {
  readonly name: ScheduledName;
  /** The attribute that stands for entries. */
  readonly main: string;
  readonly span: Span;
}

const queryOf = (type: ContentType, { name, main, span }: CalendarSearch): Query => ({
  ...emptyQuery,
  ...({ publicationState: 'preview', locale: 'all', withTotal: false } as const),
  ...(name === 'publishAt' && { showsDrafts: true }), // a draft beside a published entry states when it is published itself
  fields: [...new Set(['id', main, name, ...(type.localized ? ['locale'] : [])])],
  filter: {
    kind: 'and',
    filters: [comparing(name, 'gte', span.from.toISOString()), comparing(name, 'lt', span.to.toISOString())],
  },
  sort: [{ path: [name], order: 'asc' }],
  pagination: { kind: 'offset', start: 0, limit: most, withCount: false },
});
