import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AreaResult } from './replay.js';

/** The number of cases that must pass, by area. */
export type Floor = Readonly<Record<string, number>>;

// Written by `writeFloor` only.
export const readFloor = (file: string): Floor => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Floor) : {});

/** Cases whose recorded answers a decision departs from: `area/name`, and the row of the decision. */
export type Decided = Readonly<Record<string, string>>;

// Written by hand.
export const readDecided = (file: string): Decided => JSON.parse(readFileSync(file, 'utf8')) as Decided;

/** The results with the failed cases that are decided counted as passed. */
export const countDecided = (
  results: ReadonlyMap<string, AreaResult>,
  failed: readonly string[],
  decided: Decided,
): ReadonlyMap<string, AreaResult> => {
  const departing = failed.filter((name) => Object.hasOwn(decided, name));
  return new Map(
    [...results].map(([area, { passed, total }]) => {
      const here = departing.filter((name) => name.startsWith(`${area}/`)).length;
      return [area, { passed: passed + here, total }];
    }),
  );
};

/** One line for each area with fewer passed cases than its floor. */
export const compareWithFloor = (
  floor: Floor,
  results: ReadonlyMap<string, AreaResult>,
  areas: readonly string[],
): readonly string[] =>
  areas.flatMap((area) => {
    const [passed, least] = [results.get(area)?.passed ?? 0, floor[area] ?? 0];
    return passed < least ? [`${area}: ${String(passed)} passed, the floor is ${String(least)}`] : [];
  });

/** The floor with every area at the higher of its old and its new count, in alphabetical order. Never lower. */
export function raiseFloor(floor: Floor, areas: ReadonlyMap<string, AreaResult>): Floor {
  const names = [...new Set([...Object.keys(floor), ...areas.keys()])].sort();
  return Object.fromEntries(names.map((area) => [area, Math.max(floor[area] ?? 0, areas.get(area)?.passed ?? 0)]));
}

export const writeFloor = (file: string, floor: Floor): void => {
  writeFileSync(file, `${JSON.stringify(floor, null, 2)}\n`);
};
