import type { SpentLimits } from '../limits/budget.js';

/** Limits of one request: the settings under `api.limits`. */
export interface Limits extends SpentLimits {
  /** Conditions of a filter. */
  readonly filterNodes: number;
  readonly listValues: number;
  /** Characters of a text that a filter compares with. */
  readonly textLength: number;
  readonly populateDepth: number;
  readonly populateRelations: number;
  readonly sortKeys: number;
  /** Relations that one sort key leads through. */
  readonly sortKeyLinks: number;
  /** `relatedConditions` for callers with a token. */
  readonly tokenRelatedConditions: number;
}
