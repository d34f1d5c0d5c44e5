import { compileCondition } from '../mongo/compile-condition.js';
import type { Document } from '../mongo/database.js';
import { resolveRelated } from '../mongo/resolve-related.js';
import { bindRule } from '../query/bind-filter.js';
import { allOf } from '../query/conditions.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';

/**
 * What the caller's row rule asks of the documents of a type; empty without a rule. A rule over related entries costs a command
 * for each condition on them.
 */
export async function ruleFilter(type: ContentType, { store, bind }: ContentContext): Promise<Document> {
  const rules = bindRule(type, bind);
  if (rules.length === 0) return {};
  const condition = allOf(rules);
  return compileCondition(condition, await resolveRelated(condition, store.database));
}
