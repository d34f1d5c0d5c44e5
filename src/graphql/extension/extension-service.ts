import type { Registry } from '../../schema/content-type.js';
import type { Shadow } from '../types/shadow.js';
import type { ExtensionService, UsedExtension } from './extension.js';
import { controlType, type TypeRules } from './shadow-crud.js';
import { firstRules, newRules, shadowOf } from './shadow-of.js';

/** The service, and what schemas are built by. */
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
