import type { NamedCode } from '#api/code/named-code.js';
import type { ContentContext } from '#content/content-context.js';
import { isRecord, type Values } from '#base/values.js';
import type { Subject } from '#admin/rights/ability.js';

/** What a policy reads of the context. */
interface PolicyContext {
  readonly state: {
    readonly auth?: { readonly credentials: unknown };
    readonly userAbility?: { can(action: string, subject?: Subject): boolean };
  };
  readonly params?: Readonly<Record<string, string>>;
}

type Policy = (ctx: PolicyContext, config: Values) => boolean;

/** An action, alone, with a subject, or as an object. */
function mayDo({ state: { userAbility } }: PolicyContext, given: unknown): boolean {
  const { action, subject } = isRecord(given) ? given : { action: [given].flat()[0], subject: [given].flat()[1] };
  return userAbility?.can(String(action), typeof subject === 'string' ? subject : undefined) === true;
}

/** Returns the actions that a route names. Throws an Error without a list, so that a mistake in a route lets nobody in. */
function actionsOf({ actions }: Values, policy: string): readonly unknown[] {
  if (!Array.isArray(actions) || actions.length === 0)
    throw new Error(`the policy ${policy} needs a list of actions in its config`);
  return actions;
}

/** Returns the policies of Strapi v4 that routes of administrators name, by their names. */
const adminPolicies = (content: () => ContentContext): Readonly<Record<string, Policy>> => ({
  'admin::isAuthenticatedAdmin': ({ state }) => Boolean(state.auth?.credentials), // Strapi lets the public pass too
  'admin::hasPermissions': (ctx, config) => actionsOf(config, 'admin::hasPermissions').every((action) => mayDo(ctx, action)),
  // nothing is ever sent
  'admin::isTelemetryEnabled': () => false,
  'plugin::content-manager.hasPermissions': (ctx, config) => {
    const actions = actionsOf(config, 'plugin::content-manager.hasPermissions');
    const isAllowed = (action: unknown): boolean => mayDo(ctx, [action, ctx.params?.['model']]);
    return config['hasAtLeastOne'] === true ? actions.some(isAllowed) : actions.every(isAllowed);
  },
  'plugin::content-manager.has-draft-and-publish': ({ params = {} }) =>
    content().bind.registry.types.get(params['model'] ?? '')?.draftAndPublish === true,
});

/** Registers the policies of Strapi v4 that routes of administrators name. */
export function addAdminPolicies(policies: NamedCode<unknown>, content: () => ContentContext): void {
  for (const [name, policy] of Object.entries(adminPolicies(content))) policies.add(name, policy);
}
