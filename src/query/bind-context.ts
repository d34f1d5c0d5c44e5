import type { Registry } from '../schema/content-type.js';
import type { Access } from './access.js';
import type { PublicationState } from './ast.js';
import type { Limits } from './limits.js';

/** The figures and switches that a front end binds with. */
export interface BindSettings {
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  /** Unknown names in `populate` are refused instead of ignored. */
  readonly strict: boolean;
  /** Roles show their users, which they never do over REST. */
  readonly roleUsers: boolean;
}

/** What a Query is bound against: one registry snapshot, one caller. */
export interface BindContext {
  readonly registry: Registry;
  readonly access: Access;
  readonly limits: Limits;
  readonly settings: BindSettings;
  readonly defaultLocale: string;
  /** Codes of the locales that there are. */
  readonly locales: readonly string[];
}

/** The publication state that populated relations take on unless their branch names one. */
export interface SelectionContext extends BindContext {
  readonly state: PublicationState;
}
