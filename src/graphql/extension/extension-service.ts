import type { Registry, ContentType } from '../../schema/content-type.js';
import { type Shadow, defaultShadow, type RootAction } from '../types/shadow.js';
import type { ExtensionService, UsedExtension } from './extension.js';
import { controlType, type TypeRules, isActionOn, type FieldRules } from './shadow-crud.js';
import { didYouMean } from '../../nearest-name.js';

/** The service, and the rules that schemas are built by. */
interface Extensions {
  readonly service: ExtensionService;
  readonly used: readonly UsedExtension[];
  /** Throws for content types and fields that the snapshot does not have. */
  readonly shadow: (registry: Registry) => Shadow;
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
  return { service, used, shadow: (registry) => shadowOf(rules, registry) };
}

/** Rules of custom code that switch parts off, by uid. */
type ShadowRules = ReadonlyMap<string, TypeRules>;

/** The initial rules: accounts have other mutations, and locales are set up elsewhere. */
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

/**
 * Returns the shadow of a snapshot. Throws for a content type, component or field that the snapshot does not have, with the
 * nearest name that it has.
 */
function shadowOf(rules: ShadowRules, registry: Registry): Shadow {
  checkNames(rules, registry);
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

/** Members that only some types have; reading them is allowed on all. */
const systemNames = ['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'];

function checkNames(rules: ShadowRules, registry: Registry): void {
  const builtin = firstRules();
  for (const [uid, { fields }] of rules) {
    const type = registry.types.get(uid);
    if (type !== undefined) checkFields(type, [...fields.keys()]);
    else if (!builtin.has(uid)) throw unknown(`content type or component "${uid}"`, uid, [...registry.types.keys()]);
  }
}

function checkFields(type: ContentType, names: readonly string[]): void {
  const known = [...type.attributes.keys(), ...systemNames];
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) throw unknown(`field "${wrong}" of ${type.uid}`, wrong, known);
}

const unknown = (what: string, name: string, known: readonly string[]): Error =>
  new Error(`shadowCRUD: unknown ${what}${didYouMean(name, known)}`);
