import { fullAccess, maySee, readable, type Access } from '#model/query/access.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { mapParts, mapRecords } from '#model/schema/parts.js';
import { isRecord, type Values } from '#base/values.js';

/** Rules for changing a flat entry, which contains related entries and components. */
interface FlatRules {
  readonly registry: Registry;
  /** Returns whether an attribute is kept. */
  readonly keepsAttribute: (attribute: Attribute, type: ContentType) => boolean;
  /** Returns whether entries of a type are kept in polymorphic relations. */
  readonly keepsTarget: (uid: string) => boolean;
  /** Maps an entry after its attributes were mapped. Not called for components. */
  readonly entry: (entry: Values) => Values;
  /** Maps the value of a relation or media attribute. */
  readonly related: (value: unknown, attribute: Attribute) => unknown;
}

/** Applies rules to an entry or a list of entries. Other values, and keys that are not attributes, stay unchanged. */
const mapEntries = (value: unknown, type: ContentType, rules: FlatRules): unknown =>
  mapRecords(value, (entry) => rules.entry(mapAttributes(entry, type, rules)));

function mapAttributes(entry: Values, type: ContentType, rules: FlatRules): Values {
  const kept = Object.entries(entry).flatMap(([name, value]) => {
    const attribute = type.attributes.get(name);
    if (attribute === undefined) return [[name, value] as const];
    return rules.keepsAttribute(attribute, type) ? [[name, mapAttribute(attribute, value, rules)] as const] : [];
  });
  return Object.fromEntries(kept);
}

function mapAttribute(attribute: Attribute, value: unknown, rules: FlatRules): unknown {
  const { types } = rules.registry;
  const mapped = (part: Values, type: ContentType | undefined) => (type === undefined ? part : mapAttributes(part, type, rules));
  if (attribute.kind === 'morph')
    return mapRecords(keepTargets(value, rules), (target) => mapped(target, types.get(String(target['__type']))));
  const target = 'target' in attribute ? types.get(attribute.target) : undefined;
  if (target === undefined) return mapParts(attribute, value, rules.registry, mapped);
  return rules.related(mapEntries(value, target, rules), attribute);
}

function keepTargets(value: unknown, { keepsTarget }: FlatRules): unknown {
  const stays = (target: unknown): boolean => !isRecord(target) || keepsTarget(String(target['__type']));
  if (Array.isArray(value)) return value.filter(stays);
  return stays(value) ? value : null;
}

/**
 * Removes what a caller may not see: private and hidden attributes, passwords, and entries of types that the caller may not find.
 */
export function hideFrom(access: Access | null, value: unknown, type: ContentType, registry: Registry): unknown {
  const readAccess = access ?? fullAccess;
  return mapEntries(value, type, {
    registry,
    keepsAttribute: (attribute, owner) => {
      if (readable(owner, attribute.name, readAccess) === null) return false;
      if (attribute.kind === 'scalar') return attribute.type !== 'password';
      return attribute.kind !== 'relation' || maySee(readAccess, attribute.target);
    },
    keepsTarget: (uid) => maySee(readAccess, uid),
    entry: (entry) => entry,
    related: (related) => related,
  });
}

/** Returns flat entries as REST answers them: `{ data: { id, attributes }, meta }`. Null and undefined are returned unchanged. */
export function envelopeFlat(
  value: unknown,
  meta: Values,
  { type, registry }: { type: ContentType | null; registry: Registry },
): unknown {
  if (value === null || value === undefined) return value;
  const entry = ({ id, ...attributes }: Values): Values => ({ id, attributes });
  const rules: FlatRules = {
    registry,
    keepsAttribute: () => true,
    keepsTarget: () => true,
    entry,
    related: (related, { kind }) => ({
      data: kind === 'media' && Array.isArray(related) && related.length === 0 ? null : related,
    }),
  };
  const data = type === null ? mapRecords(value, entry) : mapEntries(value, type, rules);
  return { data, meta };
}
