import type { ContentContext } from '../../content/content-context.js';
import { validationError } from '../../errors.js';
import type { AdminCondition, ConditionResult } from '../../http/running.js';
import { conditions as ownConditions } from '../../panel/rights/actions.js';
import { isPlainObject, isRecord, type Values } from '../../values.js';
import { engineFilter } from '../content/translate-query.js';
import { plainFilters } from './translate-filters.js';

/** `conditionProvider` of `strapi.admin.services.permission`: the conditions that permissions of administrators may have. */
export interface ConditionProvider {
  /** Adds a condition. Rejects with a ValidationError if it is invalid, and with an Error if there is one of its name. */
  register(condition: Values): Promise<ConditionProvider>;
  registerMany(conditions: readonly Values[]): Promise<ConditionProvider>;
  get(id: string): object | undefined;
  has(id: string): boolean;
  keys(): readonly string[];
  values(): readonly object[];
  size(): number;
}

interface ProviderParts {
  /** The conditions of code, to which the provider adds. */
  readonly registered: AdminCondition[];
  /** Whether `bootstrap` has run, after which no condition is added. */
  readonly isLoaded: () => boolean;
  readonly content: () => ContentContext;
}

/** Returns the provider for code. */
export function createConditionProvider({ registered, isLoaded, content }: ProviderParts): ConditionProvider {
  const known = (): ReadonlyMap<string, object> => new Map([...ownConditions, ...registered].map((one) => [one.id, one]));
  const provider: ConditionProvider = {
    register: async (given) => {
      await Promise.resolve();
      if (isLoaded()) throw new Error("You can't register new conditions outside of the bootstrap function.");
      const condition = conditionOf(given, content);
      if (known().has(condition.id)) throw new Error(`Duplicated item key: ${condition.id}`);
      registered.push(condition);
      return provider;
    },
    registerMany: async (conditions) => {
      for (const condition of conditions) await provider.register(condition);
      return provider;
    },
    get: (id) => known().get(id),
    has: (id) => known().has(id),
    keys: () => [...known().keys()],
    values: () => [...known().values()],
    size: () => known().size,
  };
  return provider;
}

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

function fullName(name: string, plugin: unknown): string {
  if (typeof plugin !== 'string') return `api::${name}`;
  return plugin === 'admin' ? `admin::${name}` : `plugin::${plugin}.${name}`;
}

/** Returns what a handler has said. Other values than booleans and objects are false, as in Strapi v4. */
function resultOf(said: unknown, { bind }: ContentContext): ConditionResult {
  if (typeof said === 'boolean') return said;
  if (!isPlainObject(said)) return false;
  const filters = plainFilters(said) as Values; // that of an object is an object
  const filter = engineFilter({ where: filters }, bind.limits);
  return filter === null || { filters, filter };
}
