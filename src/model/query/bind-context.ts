import type { Registry } from '../schema/content-type.js';
import type { Access } from './access.js';
import type { PublicationState } from './ast.js';
import type { Budget, SpentLimits } from '#base/limits/budget.js';

/** The settings that a front end binds with. */
export interface BindSettings {
  readonly defaultLimit: number;
  /** Null if there is no maximum. */
  readonly maxLimit: number | null;
  /** Maximum of the limit that a query sets for a nested list; null if there is no maximum. */
  readonly maxNested: number | null;
  readonly withCount: boolean;
  /** Unknown names in `populate` are refused instead of ignored. */
  readonly strict: boolean;
  /** Levels of `populate=deep` without a number; 0 if `deep` has no special meaning. */
  readonly populateDeep: number;
  /** Whether the users of a role can be populated. Never over REST. */
  readonly roleUsers: boolean;
  /** Whether attributes that options of models add are shown without being named. Only in the panel. */
  readonly ofOptions?: true;
}

/** The context that a Query is bound in: one registry snapshot, one caller. */
export interface BindContext {
  readonly registry: Registry;
  readonly access: Access;
  readonly limits: Limits;
  /** The budget of the request. */
  readonly budget: Budget;
  readonly settings: BindSettings;
  readonly defaultLocale: string;
  /** Codes of all locales. */
  readonly locales: readonly string[];
  /** Returns the value of `$now` in epoch milliseconds; by default `currentMoment`. */
  readonly now?: () => number;
}

/** The context of populated entries, with the publication state that holds unless a branch names another one. */
export interface VisibleContext extends BindContext {
  readonly state: PublicationState;
}

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
