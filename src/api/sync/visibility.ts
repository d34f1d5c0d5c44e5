import type { FieldsOf } from '#store/stores/change-log.js';
import { allOf, conjunctsOf, orNull, termsOf } from '#model/query/conditions.js';
import type { Condition, Plan } from '#model/query/plan.js';
import { decidingFields } from './depends-on.js';

/** Which entries a caller may know of, whatever the filter of the query. */
export interface Visibility {
  /** The publication state, the locale and the row rule; null if all entries meet them. */
  readonly condition: Condition | null;
  /** The fields that decide, whose former values the log has. */
  readonly fields: FieldsOf;
}

/** Returns the visibility of a plan: its condition without the filter of the client. */
export function visibilityOf({ type, scope, condition }: Plan): Visibility {
  const visible = orNull(allOf([...conjunctsOf(scope), ...conjunctsOf(condition).filter(isOfRule)]));
  return { condition: visible, fields: visible === null ? new Map() : decidingFields(type, visible) };
}

const isOfRule = (condition: Condition): boolean => termsOf(condition).every((term) => 'ofRule' in term && term.ofRule);
