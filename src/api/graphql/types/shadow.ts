import type { ContentType } from '#model/schema/content-type.js';

export type RootAction = 'find' | 'findOne' | 'create' | 'update' | 'delete';

/** The parts of content types that a generated schema contains. */
export interface Shadow {
  readonly hasType: (uid: string) => boolean;
  readonly hasAction: (type: ContentType, action: RootAction) => boolean;
  readonly hasField: (uid: string, attribute: string, part: 'input' | 'output' | 'filters') => boolean;
}

/** Which parts of a field are enabled. The flags are independent. */
export interface FieldRules {
  enabled: boolean;
  input: boolean;
  output: boolean;
  filters: boolean;
}

/** Which parts of a content type or component are enabled. */
export interface TypeRules {
  enabled: boolean;
  queries: boolean;
  mutations: boolean;
  readonly disabledActions: Set<string>;
  readonly fields: Map<string, FieldRules>;
}

export const newRules = (): TypeRules => ({
  enabled: true,
  queries: true,
  mutations: true,
  disabledActions: new Set(),
  fields: new Map(),
});

/** Returns the rules without extensions, by uid: users and roles have other mutations, and locales are managed elsewhere. */
export function firstRules(): Map<string, TypeRules> {
  const writes = ['create', 'update', 'delete'];
  return new Map([
    ['plugin::users-permissions.permission', { ...newRules(), queries: false, mutations: false }],
    ['plugin::users-permissions.role', { ...newRules(), disabledActions: new Set(writes) }],
    ['plugin::users-permissions.user', { ...newRules(), disabledActions: new Set(writes) }],
    ['plugin::i18n.locale', { ...newRules(), mutations: false }],
  ]);
}

/** Returns what rules by uid leave of the schema. What no rule names is enabled. */
export const shadowOf = (rules: ReadonlyMap<string, TypeRules>): Shadow => ({
  hasType: (uid) => !uid.startsWith('admin::') && (rules.get(uid)?.enabled ?? true),
  hasAction: (type, action) => hasAction(rules.get(type.uid), action),
  hasField: (uid, attribute, part) => rules.get(uid)?.fields.get(attribute)?.[part] ?? true,
});

function hasAction(rules: TypeRules | undefined, action: RootAction): boolean {
  if (rules === undefined) return true;
  const kind = action === 'find' || action === 'findOne' ? rules.queries : rules.mutations;
  return kind && isActionOn(rules, action);
}

export const isActionOn = ({ disabledActions }: TypeRules, action: string): boolean =>
  !disabledActions.has(action) && !disabledActions.has('*');

/** The shadow without extensions. */
export const defaultShadow: Shadow = shadowOf(firstRules());
