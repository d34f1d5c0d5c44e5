/** A value that differs, and where: `body.data.0.id`. */
export interface Difference {
  readonly place: string;
  readonly recorded: unknown;
  readonly answered: unknown;
}

/** Returns the smallest parts in which an answer differs from the recorded one. */
export function findDifferences(recorded: unknown, answered: unknown, place = ''): readonly Difference[] {
  if (!isTree(recorded) || !isTree(answered) || Array.isArray(recorded) !== Array.isArray(answered))
    return Object.is(recorded, answered) ? [] : [{ place, recorded, answered }];
  return [...new Set([...Object.keys(recorded), ...Object.keys(answered)])].flatMap((key) =>
    findDifferences(recorded[key], answered[key], place === '' ? key : `${place}.${key}`),
  );
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
