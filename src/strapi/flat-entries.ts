import { fullAccess, maySee, readable, type Access } from '../query/access.js';
import type { Attribute, ContentType, Registry } from '../schema/content-type.js';
import { isRecord, type Values } from '../values.js';

/** Rules that change an entry of code: flat, with related entries and components inside. */
interface FlatRules {
  readonly registry: Registry;
  /** Whether an attribute stays. */
  readonly keeps: (attribute: Attribute, type: ContentType) => boolean;
  /** Whether entries of a type stay in polymorphic relations. */
  readonly keepsTarget: (uid: string) => boolean;
  /** Maps an entry whose attributes are done. Components are not mapped. */
  readonly entry: (entry: Values) => Values;
  /** Maps the value of a relation or of media. */
  readonly related: (value: unknown, attribute: Attribute) => unknown;
}

/** Applies rules to an entry, a list of them, or null. What is neither stays; so do keys that are no attributes. */
function mapEntries(value: unknown, type: ContentType, rules: FlatRules): unknown {
  if (Array.isArray(value)) return value.map((item) => mapEntries(item, type, rules));
  return isRecord(value) ? rules.entry(mapAttributes(value, type, rules)) : value;
}

function mapAttributes(entry: Values, type: ContentType, rules: FlatRules): Values {
  const kept = Object.entries(entry).flatMap(([name, value]) => {
    const attribute = type.attributes.get(name);
    if (attribute === undefined) return [[name, value] as const];
    return rules.keeps(attribute, type) ? [[name, mapAttribute(attribute, value, rules)] as const] : [];
  });
  return Object.fromEntries(kept);
}

function mapAttribute(attribute: Attribute, value: unknown, rules: FlatRules): unknown {
  const typeOf = (uid: unknown): ContentType | undefined => rules.registry.types.get(String(uid));
  switch (attribute.kind) {
    case 'scalar':
      return value;
    case 'relation':
    case 'media': {
      const target = typeOf(attribute.target);
      return target === undefined ? value : rules.related(mapEntries(value, target, rules), attribute);
    }
    case 'component': {
      const component = typeOf(attribute.component);
      return component === undefined ? value : mapParts(value, () => component, rules);
    }
    case 'dynamiczone':
      return mapParts(value, (part) => typeOf(part['__component']), rules);
    case 'morph':
      return mapParts(keepTargets(value, rules), (target) => typeOf(target['__type']), rules);
  }
}

function keepTargets(value: unknown, { keepsTarget }: FlatRules): unknown {
  const stays = (target: unknown): boolean => !isRecord(target) || keepsTarget(String(target['__type']));
  if (Array.isArray(value)) return value.filter(stays);
  return stays(value) ? value : null;
}

/** Components, and targets of polymorphic relations, stay flat. */
function mapParts(value: unknown, typeOf: (part: Values) => ContentType | undefined, rules: FlatRules): unknown {
  if (Array.isArray(value)) return value.map((part) => mapParts(part, typeOf, rules));
  if (!isRecord(value)) return value;
  const type = typeOf(value);
  return type === undefined ? value : mapAttributes(value, type, rules);
}

/**
 * Removes everything that a caller may not see: private and hidden attributes, passwords, entries of types that it may not find.
 */
export function hideFrom(access: Access | null, value: unknown, type: ContentType, registry: Registry): unknown {
  const seen = access ?? fullAccess;
  return mapEntries(value, type, {
    registry,
    keeps: (attribute, owner) => {
      if (readable(owner, attribute.name, seen) === null) return false;
      if (attribute.kind === 'scalar') return attribute.type !== 'password';
      return attribute.kind !== 'relation' || maySee(seen, attribute.target);
    },
    keepsTarget: (uid) => maySee(seen, uid),
    entry: (entry) => entry,
    related: (related) => related,
  });
}

/** Returns the answer of REST for entries: `{ data: { id, attributes }, meta }`; null and undefined as they are. */
export function envelopeFlat(
  value: unknown,
  meta: Values,
  { type, registry }: { type: ContentType | null; registry: Registry },
): unknown {
  if (value === null || value === undefined) return value;
  const entry = ({ id, ...attributes }: Values): Values => ({ id, attributes });
  const rules: FlatRules = {
    registry,
    keeps: () => true,
    keepsTarget: () => true,
    entry,
    related: (related, { kind }) => ({
      data: kind === 'media' && Array.isArray(related) && related.length === 0 ? null : related,
    }),
  };
  const withoutType = (item: unknown): unknown => (isRecord(item) ? entry(item) : item);
  const data =
    type === null ? (Array.isArray(value) ? value.map(withoutType) : withoutType(value)) : mapEntries(value, type, rules);
  return { data, meta };
}
