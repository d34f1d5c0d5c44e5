import type { Registry } from '../schema/content-type.js';
import type { Access } from './access.js';
import type { PublicationState } from './ast.js';
import type { Budget } from './budget.js';
import type { Limits } from './limits.js';

/** The settings that a front end binds with. */
export interface BindSettings {
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
  /** Most entries of a list within an entry that has a limit of its own; null: no maximum. */
  readonly maxNested: number | null;
  readonly withCount: boolean;
  /** Unknown names in `populate` are refused instead of ignored. */
  readonly strict: boolean;
  /** Levels of `populate=deep` unless it says how many; 0: it means nothing. */
  readonly populateDeep: number;
  /** Roles show their users, which they never do over REST. */
  readonly roleUsers: boolean;
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
  /** Codes of the locales that there are. */
  readonly locales: readonly string[];
}

/** The context of populated entries, with the publication state unless a branch names one. */
export interface VisibleContext extends BindContext {
  readonly state: PublicationState;
}
