import type { Library, Volume } from './library.js';

/** A question for groups, in a form that both the query string and the oracle read. */
export interface Question {
  readonly preview: boolean;
  readonly locale: 'en' | 'fr' | 'all';
  /** The filter, and which volumes meet it. */
  readonly filter: {
    readonly query: string;
    readonly graphql: string;
    readonly meets: (volume: Volume, library: Library) => boolean;
  };
  readonly keys: readonly string[];
  readonly functions: readonly (readonly [name: string, attribute: string])[];
  readonly timezone: string;
  readonly having: { readonly query: string; readonly meets: (row: Row) => boolean } | null;
  readonly sort: string | null;
}

export interface Row {
  readonly group: Record<string, unknown>;
  readonly count: number;
  readonly [name: string]: unknown;
}

/** Whether entries that others link to are shown. `tags` is the row rule on tags. */
export interface Sight {
  readonly seesHiddenTags: boolean;
}

/** Returns all groups in their order, worked out entry by entry. */
export function answerNaively(question: Question, library: Library, sight: Sight): Row[] {
  const { preview, locale, filter, keys, having, sort } = question;
  const volumes = library.volumes.filter(
    (volume) =>
      (preview || volume.publishedAt !== null) && (locale === 'all' || volume.locale === locale) && filter.meets(volume, library),
  );
  const groups = new Map<string, { readonly group: Record<string, unknown>; readonly volumes: Volume[] }>();
  if (keys.length === 0) groups.set('{}', { group: {}, volumes: [] });
  for (const volume of volumes)
    for (const group of groupsOf(volume, question, library, sight)) {
      const text = JSON.stringify(group);
      const known = groups.get(text) ?? { group, volumes: [] };
      groups.set(text, known);
      known.volumes.push(volume);
    }
  const rows = [...groups.values()].map(({ group, volumes: members }) => rowOf(group, members, question, library));
  return rows.filter((row) => having?.meets(row) ?? true).sort(orderOf(keys.map(nameOf), sort));
}

const nameOf = (key: string): string => key.split(':')[0]?.replace(/^(shelf|tags|reviews)\..*/, '$1') ?? '';

/** Returns the combinations of keys that an entry belongs to. */
function groupsOf(volume: Volume, question: Question, library: Library, sight: Sight): Record<string, unknown>[] {
  return question.keys.reduce<Record<string, unknown>[]>(
    (groups, key) => {
      const values = keyValues(volume, key, question, library, sight);
      return groups.flatMap((group) => values.map((value) => ({ ...group, [nameOf(key)]: value })));
    },
    [{}],
  );
}

function keyValues(volume: Volume, key: string, question: Question, library: Library, sight: Sight): unknown[] {
  const [path = '', unit] = key.split(':');
  const [name, field] = path.split('.');
  if (name === 'shelf' || name === 'tags' || name === 'reviews') {
    const related = relatedOf(volume, name, question, library, sight);
    const shown = related.map((one) => ({
      id: one._id,
      ...(field !== undefined && { [field]: (one as Record<string, unknown>)[field] }),
    }));
    return shown.length === 0 ? [null] : shown;
  }
  const value = valueOf(volume, path);
  if (unit !== undefined) return [value === null ? null : bucketOf(value as string | Date, unit, question.timezone)];
  return [value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? String(value) : value];
}

function relatedOf(
  volume: Volume,
  name: string,
  { preview }: Question,
  library: Library,
  { seesHiddenTags }: Sight,
): { readonly _id: number }[] {
  if (name === 'shelf')
    return library.shelves.filter(({ _id, publishedAt }) => _id === volume.shelf && (preview || publishedAt !== null));
  if (name === 'reviews') return library.reviews.filter((review) => review.volume === volume._id);
  return library.tags.filter(({ _id, hidden }) => volume.tags.includes(_id) && (seesHiddenTags || !hidden));
}

function valueOf(volume: Volume, path: string): unknown {
  const [name = '', inner] = path.split('.');
  const value = (volume as unknown as Record<string, Record<string, unknown> | null>)[name];
  return inner === undefined ? (value ?? null) : (value?.[inner] ?? null);
}

/** Returns the bucket of a date by the calendar of JavaScript. */
function bucketOf(value: string | Date, unit: string, timezone: string): string {
  const [, sign, hours = '', minutes = ''] = /^([+-])(..):(..)$/.exec(timezone) ?? [];
  const isOfDay = typeof value === 'string';
  const shift = isOfDay || sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: isOfDay || sign !== undefined ? 'UTC' : timezone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' },
  }).formatToParts(new Date((isOfDay ? new Date(`${value}T00:00:00Z`) : value).getTime() + shift));
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  const [year, month, day] = [part('year'), part('month'), part('day')];
  const forms: Record<string, () => string> = {
    year: () => year,
    quarter: () => `${year}-Q${String(Math.ceil(Number(month) / 3))}`,
    month: () => `${year}-${month}`,
    week: () => isoWeek(Number(year), Number(month), Number(day)),
    day: () => `${year}-${month}-${day}`,
    hour: () => `${year}-${month}-${day}T${part('hour')}`,
  };
  return forms[unit]?.() ?? '';
}

/** Returns the ISO week of a day: the one with its Thursday. */
function isoWeek(year: number, month: number, day: number): string {
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const first = Date.UTC(date.getUTCFullYear(), 0, 1);
  const week = Math.ceil(((date.getTime() - first) / 86_400_000 + 1) / 7);
  return `${String(date.getUTCFullYear())}-W${String(week).padStart(2, '0')}`;
}

function rowOf(group: Record<string, unknown>, volumes: readonly Volume[], question: Question, library: Library): Row {
  const row: Record<string, unknown> = { group, count: volumes.length };
  for (const [name, attribute] of question.functions) {
    const values = volumes.map((volume) => figureValue(volume, attribute, question, library)).filter((value) => value !== null);
    row[name] = { ...(row[name] as object | undefined), [attribute]: figureOf(name, values) };
  }
  return row as unknown as Row;
}

function figureValue(volume: Volume, attribute: string, { preview }: Question, { shelves }: Library): unknown {
  if (attribute !== 'shelf') return valueOf(volume, attribute);
  return shelves.find(({ _id, publishedAt }) => _id === volume.shelf && (preview || publishedAt !== null))?._id ?? null;
}

function figureOf(name: string, values: readonly unknown[]): unknown {
  if (name === 'countDistinct') return new Set(values.map((value) => (value instanceof Date ? value.getTime() : value))).size;
  if (values.length === 0) return null;
  if (name === 'sum') return shown(values.reduce((sum, value) => (sum as number) + (value as number)));
  if (name === 'avg') return Number(values.map(Number).reduce((sum, value) => sum + value)) / values.length;
  const sorted = [...values].sort((one, other) => ((one as number) < (other as number) ? -1 : 1));
  const value = sorted[name === 'min' ? 0 : sorted.length - 1];
  return value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? String(value) : value;
}

const shown = (sum: unknown): unknown =>
  typeof sum === 'bigint' ? (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum)) : sum;

/** Returns the order of rows: by what is asked for, then by the keys; null comes first. */
function orderOf(names: readonly string[], sort: string | null): (one: Row, other: Row) => number {
  const keys = names.map(
    (name) =>
      (row: Row): unknown =>
        orderedKey(row.group[name]),
  );
  const [path = '', word] = sort?.split(':') ?? [];
  const read = sort === null ? [] : [[readSorted(path, names), word === 'desc' ? -1 : 1] as const];
  const all = [...read, ...keys.map((key) => [key, 1] as const)];
  return (one, other) => all.reduce((order, [key, sign]) => order || sign * compare(key(one), key(other)), 0);
}

const orderedKey = (key: unknown): unknown => (typeof key === 'object' && key !== null ? (key as { id: number }).id : key);

const readSorted =
  (path: string, names: readonly string[]) =>
  (row: Row): unknown => {
    if (path === 'count') return row.count;
    if (names.includes(path)) return orderedKey(row.group[path]);
    const [name = '', ...rest] = path.split('.');
    const holder = (names.includes(name) ? row.group[name] : row[name]) as Record<string, unknown> | null | undefined;
    return holder?.[rest.join('.')] ?? null;
  };

function compare(one: unknown, other: unknown): number {
  const [a, b] = [comparable(one), comparable(other)];
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns a value that `<` compares: large numbers are answered as texts. */
const comparable = (value: unknown): string | number | bigint | null =>
  typeof value === 'string' && /^-?\d{16,}$/.test(value)
    ? BigInt(value)
    : typeof value === 'boolean'
      ? Number(value)
      : (value as string | number | null);
