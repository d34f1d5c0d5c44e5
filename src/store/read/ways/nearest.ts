import type { Document } from 'mongodb';
import { distancePath } from '#model/query/plan.js';
import { isWithoutIndex } from '../../send/driver-errors.js';
import { readAll } from '../../send/read-commands.js';
import { nothing } from '../compile-condition.js';
import type { NearStage } from '../compile-near.js';
import { compilePagePipeline, inCollation, type Page } from '../compile-page.js';
import { joinStages } from '../join-related.js';
import type { Facts, JoinedPage, Way } from './way.js';

/** Reads the entries that are near to a place, with their distances. */
export const nearest: Way = {
  name: 'nearest',
  fits: ({ near }) => near !== undefined,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const near = page.near ?? null;
    if (page.match === nothing || near === null) return { documents: [] };
    const read = (stage: NearStage): Promise<readonly Document[]> =>
      stage.isUnindexed === true ? readSorted({ ...page, near: stage }, facts) : readNearest(page, stage, facts);
    const documents = await byPlaces(near, read);
    return { documents: near.isHidden === true ? documents.map(withoutDistance) : documents };
  },
};

/** Reads by the index of places; without it if it is not built yet, or another stage must be the first. */
export const byPlaces = <Result>(near: NearStage, read: (near: NearStage) => Promise<Result>): Promise<Result> =>
  read(near).catch((error: unknown) => {
    if (!isWithoutIndex(error)) throw error;
    return read({ ...near, isUnindexed: true });
  });

const withoutDistance = (document: Document): Document => ({ ...document, [distancePath]: undefined });

const distanceOf = (document: Document | undefined): number => Number(document?.[distancePath] ?? NaN);

const isByDistance = ({ sort, backwards, window }: Page): boolean =>
  sort[0]?.path === distancePath && backwards !== true && window.limit !== null;

/**
 * Reads a page from the nearest entry on, until it is full. The index has no order of entries with the same distance. If some of these are
 * on both sides of an end of the page, the entries up to there are read again, and sorted.
 */
async function readNearest(page: JoinedPage, near: NearStage, facts: Facts): Promise<readonly Document[]> {
  const { skip, limit } = page.window;
  if (!isByDistance(page) || limit === null) return readSorted(page, facts);
  const before = skip > 0 ? 1 : 0;
  const window = { skip: skip - before, limit: before + limit + 1 };
  const documents = await run({ ...page, window }, facts, false);
  const end = before + limit;
  const isCut = (index: number): boolean => index > 0 && distanceOf(documents[index - 1]) === distanceOf(documents[index]);
  if (isCut(before) || isCut(end))
    return readSorted({ ...page, near: { ...near, maxDistance: distanceOf(documents.at(-1)) } }, facts);
  return documents.slice(before, end).sort((a, b) => distanceOf(a) - distanceOf(b) || Number(a['_id']) - Number(b['_id']));
}

const readSorted = (page: JoinedPage, facts: Facts): Promise<readonly Document[]> => run(page, facts, true);

function run(page: JoinedPage, { database }: Facts, isSorted: boolean): Promise<readonly Document[]> {
  const stages = compilePagePipeline({ ...page, match: page.before }, joinStages(page.joins, page.match));
  const pipeline = isSorted ? stages : stages.filter((stage) => !('$sort' in stage));
  return readAll(database, { aggregate: page.collection, pipeline, allowDiskUse: true, ...inCollation(page) });
}
