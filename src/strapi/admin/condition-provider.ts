import type { ContentContext } from '#content/content-context.js';
import { validationError } from '#base/errors.js';
import type { AdminCondition, ConditionResult } from '#http/running.js';
import { conditions as ownConditions } from '#admin/rights/actions.js';
import { isPlainObject, isRecord, type Values } from '#base/values.js';
import { engineFilter } from '../content/translate-query.js';
import { createProvider, fullName, type Provider } from './provider.js';
import { plainFilters } from './translate-filters.js';

interface ProviderParts {
  /** The conditions of code, to which the provider adds. */
  readonly registered: AdminCondition[];
  readonly isLoaded: () => boolean;
  readonly content: () => ContentContext;
}

/** Returns `conditionProvider` of `strapi.admin.services.permission`: the conditions that permissions of administrators may have. */
export const createConditionProvider = ({ registered, isLoaded, content }: ProviderParts): Provider =>
  createProvider({
    ...{ what: 'conditions', isLoaded },
    known: () => new Map([...ownConditions, ...registered].map((one) => [one.id, one])),
    read: (given) => {
      const condition = conditionOf(given, content);
      return [condition.id, () => registered.push(condition)];
    },
  });

function conditionOf(given: unknown, content: () => ContentContext): AdminCondition & { readonly handler: Handler } {
  const { name, displayName = name, plugin, category = 'default', handler } = isRecord(given) ? given : {};
  if (typeof name !== 'string' || name === '') throw validationError('name is a required field');
  if (typeof handler !== 'function') throw validationError('handler must be a function');
  const ask = handler as Handler; // checked on the line before
  return {
    ...{ id: fullName(name, plugin), displayName: String(displayName), category: String(category), handler: ask },
    test: async (user) => resultOf(await ask(user), content()),
  };
}

type Handler = (user: object) => unknown;

/** Returns what a handler has said. Other values than booleans and objects are false, as in Strapi v4. */
function resultOf(said: unknown, { bind }: ContentContext): ConditionResult {
  if (typeof said === 'boolean') return said;
  if (!isPlainObject(said)) return false;
  const filters = plainFilters(said) as Values; // that of an object is an object
  const filter = engineFilter({ where: filters }, bind.limits);
  return filter === null || { filters, filter };
}
