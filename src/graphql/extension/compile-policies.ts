import { policyError } from '../../errors.js';
import { isRecord } from '../../values.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { FieldConfiguration, Policy, PolicyContext, PolicyObject, Resolver, Strapi } from './extension.js';

type Policies = NonNullable<FieldConfiguration['policies']>;

/** Puts policies before a resolver. Throws for a name that is not registered, and where a policy refuses its configuration. */
export function withPolicies(policies: Policies, resolve: Resolver, strapi: Strapi): Resolver {
  const checks = policies.map((policy) => compilePolicy(policy, strapi));
  if (checks.length === 0) return resolve;
  return async (parent: unknown, args: unknown, context: GraphqlContext, info) => {
    const policyContext: PolicyContext = {
      parent,
      args,
      context,
      info,
      state: context.state,
      http: context.koaContext,
      type: 'graphql',
      is: (type) => type === 'graphql',
    };
    for (const check of checks) {
      const result = await check(policyContext);
      if (result !== true && result !== undefined) throw policyError();
    }
    return resolve(parent, args, context, info) as unknown;
  };
}

type Check = (context: PolicyContext) => unknown;

function compilePolicy(item: Policies[number], strapi: Strapi): Check {
  const { found, config } = findPolicy(item, strapi);
  const { handler, validator }: PolicyObject = typeof found === 'function' ? { handler: found } : found;
  validator?.(config);
  const services = { strapi };
  const second = withServer(config, strapi);
  return (context) => handler(context, second, services);
}

function findPolicy(item: unknown, strapi: Strapi): { readonly found: Policy | PolicyObject; readonly config: unknown } {
  if (typeof item === 'function') return { found: item as Policy, config: {} }; // the contract of a policy function
  if (typeof item === 'string') return { found: strapi.policy(item), config: {} };
  if (isRecord(item) && typeof item['name'] === 'string')
    return { found: strapi.policy(item['name']), config: item['config'] ?? {} };
  throw new Error(`Invalid policy, expected (function, string, object), received ${String(item)}`);
}

/** The configuration, which answers to `strapi` and to the members of the server unless it has a value of that name itself. */
function withServer(config: unknown, strapi: Strapi): unknown {
  if (!isRecord(config)) return config;
  const server: object = Object.create(strapi, { strapi: { value: strapi } });
  return Object.create(server, Object.getOwnPropertyDescriptors(config)) as unknown;
}
