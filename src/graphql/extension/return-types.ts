import type { EntryResult, ListResult, Row } from '../results.js';
import type { Entity, EntityService } from './entity-service.js';

/** What a value was read with. */
export interface ReturnInfo {
  /** As `transformArgs` gives them; `start` and `limit` decide the page figures. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly resourceUID?: string;
}

/** Turns entities into the values of generated response types. What a query selects below them is read for them. */
export interface ReturnTypes {
  readonly toEntityResponse: (
    value: Entity | Row | null | undefined,
    info?: ReturnInfo,
  ) => EntryResult & { readonly info: ReturnInfo };
  /** The total of `meta.pagination` is counted with the filters of `args` where it is selected. */
  readonly toEntityResponseCollection: (
    nodes: readonly (Entity | Row)[] | null | undefined,
    info?: ReturnInfo,
  ) => ListResult & { readonly info: ReturnInfo };
}

export const createReturnTypes = (entities: EntityService): ReturnTypes => ({
  toEntityResponse: (value, info = {}) => ({ value: value ?? null, info }),
  toEntityResponseCollection: (nodes, info = {}) => {
    const { args = {}, resourceUID } = info;
    const limit = numberOf(args['limit']);
    return {
      nodes: nodes ?? [],
      total: null,
      start: numberOf(args['start']) ?? 0,
      limit: limit === null || limit < 0 ? null : limit,
      ...(resourceUID !== undefined && { count: () => entities.count(resourceUID, withoutPage(args)) }),
      info,
    };
  },
});

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const countKeys = ['filters', 'publicationState', 'locale', '_q'];

const withoutPage = (args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(args).filter(([key]) => countKeys.includes(key)));
