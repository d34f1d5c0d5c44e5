import type { Registry } from '../../schema/content-type.js';
import { type Shadow, defaultShadow, type RootAction } from '../types/shadow.js';
import type { ExtensionService, UsedExtension } from './extension.js';
import { controlType, type TypeRules, isActionOn, type FieldRules } from './shadow-crud.js';
import { didYouMean } from '../../nearest-name.js';

/** The service, and the rules for building schemas. */
interface Extensions {
  readonly service: ExtensionService;
  readonly used: readonly UsedExtension[];
  /** Returns the shadow of a registry. Calls `warn` for unknown content types, fields and actions, whose rules have no effect. */
  readonly shadow: (registry: Registry, warn: (message: string) => void) => Shadow;
}

export function createExtensions(): Extensions {
  const rules: Map<string, TypeRules> = firstRules();
  const used: UsedExtension[] = [];
  const service: ExtensionService = {
    shadowCRUD: (uid) => {
      const known = rules.get(uid) ?? newRules();
      rules.set(uid, known);
      return controlType(known);
    },
    use: (extension) => {
      used.push(extension);
      return service;
    },
  };
  return { service, used, shadow: shadowFrom(rules) };
}

/** Parts that custom code has disabled, by uid. */
type ShadowRules = ReadonlyMap<string, TypeRules>;

/** Returns the initial rules: users and roles have other mutations, and locales are managed elsewhere. */
function firstRules(): Map<string, TypeRules> {
  const writes = ['create', 'update', 'delete'];
  return new Map([
    ['plugin::users-permissions.permission', { ...newRules(), queries: false, mutations: false }],
    ['plugin::users-permissions.role', { ...newRules(), disabledActions: new Set(writes) }],
    ['plugin::users-permissions.user', { ...newRules(), disabledActions: new Set(writes) }],
    ['plugin::i18n.locale', { ...newRules(), mutations: false }],
  ]);
}

const newRules = (): TypeRules => ({
  enabled: true,
  queries: true,
  mutations: true,
  disabledActions: new Set(),
  fields: new Map(),
});

const shadowFrom =
  (rules: ShadowRules): Extensions['shadow'] =>
  (registry, warn) => {
    for (const message of unknownNames(rules, registry)) warn(message);
    return shadowOf(rules);
  };

function shadowOf(rules: ShadowRules): Shadow {
  const flag = (uid: string, attribute: string, name: keyof FieldRules): boolean =>
    rules.get(uid)?.fields.get(attribute)?.[name] ?? true;
  return {
    hasType: (uid) => defaultShadow.hasType(uid) && (rules.get(uid)?.enabled ?? true),
    hasAction: (type, action) => defaultShadow.hasAction(type, action) && hasAction(rules.get(type.uid), action),
    hasOutput: (uid, attribute) => flag(uid, attribute, 'output'),
    hasInput: (uid, attribute) => flag(uid, attribute, 'input'),
    hasFilters: (uid, attribute) => flag(uid, attribute, 'filters'),
  };
}

function hasAction(rules: TypeRules | undefined, action: RootAction): boolean {
  if (rules === undefined) return true;
  const kind = action === 'find' || action === 'findOne' ? rules.queries : rules.mutations;
  return kind && isActionOn(rules, action);
}

/** Attributes that only some types have, but that may be named for all types. */
const systemNames = ['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'];

const actions: readonly RootAction[] = ['find', 'findOne', 'create', 'update', 'delete'];

/** Returns a warning for each name that the registry does not have: a misspelt one disables nothing. */
function* unknownNames(rules: ShadowRules, registry: Registry): Generator<string> {
  const builtin = firstRules();
  for (const [uid, { fields, disabledActions }] of rules) {
    const type = registry.types.get(uid);
    if (type === undefined && !builtin.has(uid) && defaultShadow.hasType(uid))
      yield unknown(`content type or component "${uid}"`, uid, registry.types.keys());
    if (type === undefined) continue;
    const known = [...type.attributes.keys(), ...systemNames];
    for (const name of fields.keys()) if (!known.includes(name)) yield unknown(`field "${name}" of ${uid}`, name, known);
    for (const name of disabledActions)
      if (![...actions, '*'].includes(name)) yield unknown(`action "${name}" of ${uid}`, name, actions);
  }
}

const unknown = (what: string, name: string, known: Iterable<string>): string =>
  `shadowCRUD: unknown ${what}${didYouMean(name, known)}`;
