import { isRecord, type Values } from '#base/values.js';

/** An operation of JSON Patch (RFC 6902). */
type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly path: string };

/** Number of items beyond which a list in the middle of which something has changed is replaced. */
const longest = 1_000;

/** Returns the operations that make one JSON value of another. Items of lists are told apart by their ids. */
export function diff(before: unknown, after: unknown, path = ''): PatchOperation[] {
  if (isEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && Math.max(before.length, after.length) <= longest)
    return diffLists(before, after, path);
  if (isObject(before) && isObject(after)) return diffObjects(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

const isObject = (value: unknown): value is Values => isRecord(value) && !Array.isArray(value);

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

const pathTo = (path: string, name: string): string => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function diffObjects(before: Values, after: Values, path: string): PatchOperation[] {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return [
    ...removed.map((name) => ({ op: 'remove', path: pathTo(path, name) }) as const),
    ...Object.entries(after).flatMap(([name, value]): PatchOperation[] =>
      Object.hasOwn(before, name)
        ? diff(before[name], value, pathTo(path, name))
        : [{ op: 'add', path: pathTo(path, name), value }],
    ),
  ];
}

/** Returns what tells an item from others: its id, or all of it. */
const keyOf = (item: unknown): string => JSON.stringify(isObject(item) && Object.hasOwn(item, 'id') ? [item['id']] : item);

function diffLists(before: readonly unknown[], after: readonly unknown[], path: string): PatchOperation[] {
  const operations: PatchOperation[] = [];
  const wanted = new Set(after.map(keyOf));
  const items = before.map((item) => ({ item, key: keyOf(item) }));
  for (let index = items.length - 1; index >= 0; index -= 1)
    if (!wanted.has(items[index]?.key ?? '')) {
      items.splice(index, 1);
      operations.push({ op: 'remove', path: pathTo(path, String(index)) });
    }
  for (const [index, value] of after.entries()) {
    const key = keyOf(value);
    const at = pathTo(path, String(index));
    const found = items[index]?.key === key ? index : items.findIndex((one, place) => place > index && one.key === key);
    const item = items[found]?.item;
    if (found < 0) operations.push({ op: 'add', path: at, value });
    else if (found > index) operations.push({ op: 'move', from: pathTo(path, String(found)), path: at });
    if (found !== index) {
      if (found > index) items.splice(found, 1);
      items.splice(index, 0, { item: found < 0 ? value : item, key });
    }
    if (found >= 0) operations.push(...diff(item, value, at));
  }
  for (let index = items.length - 1; index >= after.length; index -= 1)
    operations.push({ op: 'remove', path: pathTo(path, String(index)) });
  return operations;
}
