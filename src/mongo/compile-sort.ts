import type { Document } from 'mongodb';
import type { LinkAttribute } from '../schema/content-type.js';
import type { SortKey } from '../query/plan.js';

/**
 * The `$sort` of bound keys, with `_id` behind the last so that pages never overlap. It runs in the direction of the last key,
 * which lets one index serve both; null where nothing is asked for, which is the order of `_id`.
 */
export function compileSort(sort: readonly SortKey[]): Document {
  const entries = sort.map(
    ({ links, path, order }, index) => [links.length > 0 ? `${joined(index)}.${path}` : path, order] as const,
  );
  const keys = new Map<string, 1 | -1>();
  for (const [path, order] of entries) if (!keys.has(path)) keys.set(path, order);
  if (!keys.has('_id')) keys.set('_id', entries.at(-1)?.[1] ?? 1);
  return Object.fromEntries(keys);
}

const joined = (index: number): string => `_sort${String(index)}`;

/** Whether sorting needs values of related entries, which must then be joined before the page is cut. */
export const sortsThroughLinks = (sort: readonly SortKey[]): boolean => sort.some(({ links }) => links.length > 0);

/** Joins the related values that sort keys go through; of several related entries the sort takes the least or greatest value. */
export function compileSortJoins(sort: readonly SortKey[]): Document[] {
  return sort.flatMap(({ links, path }, index) =>
    links.map((step, depth) => {
      const last = depth === links.length - 1;
      const next = last ? path : (links[depth + 1]?.path ?? '_id');
      const local = depth === 0 ? '' : `${joined(index)}.`;
      return {
        $lookup: {
          ...joinFields(step.link, `${local}${step.path}`, local),
          from: step.target.collection,
          as: joined(index),
          pipeline: [keep(next)],
        },
      };
    }),
  );
}

const keep = (path: string): Document => ({ $project: { [path.split('.')[0] ?? path]: 1 } });

function joinFields(link: LinkAttribute, path: string, local: string): Document {
  if (link.storage.kind === 'inverse') return { localField: `${local}_id`, foreignField: link.storage.field };
  if (link.storage.kind === 'siblings') return { localField: `${local}_group`, foreignField: '_group' };
  return { localField: path, foreignField: '_id' };
}

/** Takes the joined sort values out of the rows again. */
export const dropSortJoins = (sort: readonly SortKey[]): Document[] => {
  const names = sort.flatMap(({ links }, index) => (links.length > 0 ? [joined(index)] : []));
  return names.length === 0 ? [] : [{ $unset: names }];
};
