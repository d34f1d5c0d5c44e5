/** A value that differs between two versions of an entry. `path` is one such as `sections[1].heading`. */
export interface Difference {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

type Values = Readonly<Record<string, unknown>>;

/** What the service sets itself, or what says nothing to an editor. */
const unshown: ReadonlySet<string> = new Set([
  ...['id', '__component', '__type', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'localizations', 'locale'],
]);

/** Returns what differs between two versions of an entry, by the paths of values. Ids of components do not count. */
export const differencesOf = (before: Values, after: Values): readonly Difference[] => compareParts(before, after, '');

function compare(before: unknown, after: unknown, path: string): readonly Difference[] {
  if (isPart(before) && isPart(after) && before['__component'] === after['__component']) return compareParts(before, after, path);
  if (isPartList(before) && isPartList(after)) return compareLists(before, after, path);
  const [was, is] = [textOf(before), textOf(after)];
  return was === is ? [] : [{ path, ...excerpts(was, is) }];
}

function compareParts(before: Values, after: Values, path: string): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !unshown.has(name));
  return names.flatMap((name) => compare(before[name], after[name], path === '' ? name : `${path}.${name}`));
}

const compareLists = (before: readonly unknown[], after: readonly unknown[], path: string): readonly Difference[] =>
  Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
    compare(before[index], after[index], `${path}[${String(index)}]`),
  );

/** Returns whether a value is a component, or an entry. A link is an id alone, perhaps with the type that it leads to. */
const isPart = (value: unknown): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).some((name) => name !== 'id' && name !== '__type');

/** Returns whether a value is a list of components. */
const isPartList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPart);

/** Returns a value as an editor reads it: links as `#7`, nothing as an empty text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object') return String(value as string | number | boolean);
  if (!isPart(value)) return 'id' in value ? `#${String(value.id)}` : '';
  return Object.entries(value)
    .filter(([name]) => !unshown.has(name))
    .map(([name, inner]) => `${name}: ${textOf(inner)}`)
    .join('; ');
}

/** Most characters of a text that are shown, and how many of them come before the first difference. */
const [longest, lead] = [300, 40];

/** Returns the parts of two texts from shortly before their first difference. */
function excerpts(before: string, after: string): Pick<Difference, 'before' | 'after'> {
  const end = Math.min(before.length, after.length);
  let same = 0;
  while (same < end && before[same] === after[same]) same += 1;
  const start = Math.max(before.length, after.length) <= longest ? 0 : Math.max(0, same - lead);
  const cut = (text: string): string => {
    const part = text.slice(start, start + longest);
    return `${start > 0 && text.length > start ? '…' : ''}${part}${text.length > start + longest ? '…' : ''}`;
  };
  return { before: cut(before), after: cut(after) };
}
