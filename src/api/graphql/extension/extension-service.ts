import { didYouMean } from '#base/nearest-name.js';
import { addedToSome } from '#model/schema/added-attributes.js';
import type { Registry } from '#model/schema/content-type.js';
import { defaultShadow, firstRules, newRules, type RootAction, type Shadow, shadowOf, type TypeRules } from '../types/shadow.js';
import type { ExtensionService, UsedExtension } from './extension.js';
import { controlType } from './shadow-crud.js';

/** The service, and the rules for building schemas. */
interface Extensions {
  readonly service: ExtensionService;
  readonly used: readonly UsedExtension[];
  readonly shadow: Shadow;
  /** Returns warnings of content types, fields and actions that a registry does not have, whose rules have no effect. */
  readonly unknownNames: (registry: Registry) => Iterable<string>;
}

export function createExtensions(): Extensions {
  const rules = firstRules();
  const used: UsedExtension[] = [];
  const service: ExtensionService = {
    shadowCRUD: (uid) => {
      const typeRules = rules.get(uid) ?? newRules();
      rules.set(uid, typeRules);
      return controlType(typeRules);
    },
    use: (extension) => {
      used.push(extension);
      return service;
    },
  };
  return { service, used, shadow: shadowOf(rules), unknownNames: (registry) => unknownNames(rules, registry) };
}

/** Names that only some types have, but that may be named for all types. */
const namedForAll = ['id', ...addedToSome];

const actions: readonly RootAction[] = ['find', 'findOne', 'create', 'update', 'delete'];

/** Returns a warning for each name that the registry does not have: a misspelt one disables nothing. */
function* unknownNames(rules: ReadonlyMap<string, TypeRules>, registry: Registry): Generator<string> {
  const builtin = firstRules();
  for (const [uid, { fields, disabledActions }] of rules) {
    const type = registry.types.get(uid);
    if (type === undefined && !builtin.has(uid) && defaultShadow.hasType(uid))
      yield unknown(`content type or component "${uid}"`, uid, registry.types.keys());
    if (type === undefined) continue;
    const known = [...type.attributes.keys(), ...namedForAll];
    for (const name of fields.keys()) if (!known.includes(name)) yield unknown(`field "${name}" of ${uid}`, name, known);
    for (const name of disabledActions)
      if (![...actions, '*'].includes(name)) yield unknown(`action "${name}" of ${uid}`, name, actions);
  }
}

const unknown = (what: string, name: string, names: Iterable<string>): string =>
  `shadowCRUD: unknown ${what}${didYouMean(name, names)}`;
