import type { ContentContext } from '#content/content-context.js';
import type { AdminCondition, RunningService } from '#http/running.js';
import { explorer } from '#admin/rights/actions.js';
import { mapValues, type Values } from '#base/values.js';
import { refuseMissing } from '../load/unsupported-code.js';
import { type Ability, asSubject, type Subject } from '#admin/rights/ability.js';
import { type ActionProvider, createActionProvider } from './action-provider.js';
import { createConditionProvider } from './condition-provider.js';
import type { RegisteredActions } from './registered-actions.js';
import { generateUserAbility } from './identify-administrator.js';
import { type ManagerInput, managerFactory } from './permissions-manager.js';

interface PermissionParts {
  readonly adminActions: RegisteredActions;
  readonly adminConditions: AdminCondition[];
  /** Whether `bootstrap` has run. */
  readonly connection: { readonly isPrepared: boolean };
  readonly running: () => RunningService;
  readonly content: () => ContentContext;
}

/** `strapi.admin.services.permission`. */
export function permissionService({ adminActions, adminConditions, connection, running, content }: PermissionParts) {
  const isLoaded = (): boolean => connection.isPrepared;
  const actionProvider: ActionProvider = createActionProvider(adminActions, isLoaded);
  const conditionProvider = createConditionProvider({ registered: adminConditions, isLoaded, content });
  const engine = {
    generateUserAbility: (user: unknown) => generateUserAbility(user, running(), content()),
    checkMany: (ability: Ability) => (permissions: readonly AskedPermission[]) =>
      permissions.map(({ action, subject, field }) => ability.can(action, subject, field)),
  };
  const createPermissionsManager: (input: ManagerInput) => object = managerFactory(content);
  return { actionProvider, conditionProvider, engine, createPermissionsManager };
}

interface AskedPermission {
  readonly action: string;
  readonly subject?: Subject;
  readonly field?: string;
}

const entryActions = mapValues(
  { read: 'read', create: 'create', update: 'update', delete: 'delete', publish: 'publish', unpublish: 'publish' },
  (name) => `${explorer}.${name}`,
);

type Check = (action: string, entry?: object, field?: string) => boolean;

/** Returns a check of any action, with one for each action on entries: `can.read(entry)`. */
const withActions = (check: Check): Check & Values =>
  Object.assign(
    (...input: Parameters<Check>) => check(...input),
    mapValues(entryActions, (action) => (entry?: object, field?: string) => check(action, entry, field)),
  );

/** `strapi.plugin('content-manager').service('permission-checker')`. */
export const permissionChecker = {
  create: ({ userAbility, model }: { readonly userAbility: Ability; readonly model: string }) => {
    const can: Check = (action, entry, field) =>
      userAbility.can(action, entry === undefined ? model : asSubject(model, entry), field);
    const cannot: Check = (...input) => !can(...input);
    return refuseMissing({ can: withActions(can), cannot: withActions(cannot) }, 'permissionChecker');
  },
};
