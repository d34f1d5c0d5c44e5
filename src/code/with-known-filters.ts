import type { ContentContext } from '../content/content-context.js';
import { refuseOrTell, type Undone } from '../content/refuse-or-tell.js';
import { knownFilters, type DroppedCondition } from '../query/known-filters.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';

/** Returns parameters of code without the conditions that have no effect, which are refused in strict mode, else told. */
export function withKnownFilters(given: Values, type: ContentType, context: ContentContext): Values {
  const { parameters, dropped } = knownFilters(given, type, { registry: context.bind.registry });
  refuseOrTell(dropped.map(undoneOf), context);
  return parameters;
}

const undoneOf = ({ name, type: { uid, attributes } }: DroppedCondition): Undone => ({
  path: ['filters', name],
  message: `the condition on ${name} of ${uid} has no effect, because ${attributes.has(name) ? 'filters cannot name it' : 'there is no such attribute'}`,
  remedy: 'correct or remove it in the code of the project',
});
