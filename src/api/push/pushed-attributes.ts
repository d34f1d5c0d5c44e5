import { fieldErrors } from '#base/errors.js';
import { type Access, maySee, readable } from '#model/query/access.js';
import { addedAs } from '#model/schema/added-attributes.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { maximumErrors } from '#model/schema/findings.js';
import { hasParts } from '#model/schema/parts.js';
import { scalarTypes, type Stored } from '#model/schema/scalar-types.js';
import { isLink, type PushWrite } from './read-push.js';

/** How clients compare and merge the values of an attribute: as a scalar or as a whole, as an id, or as a list of ids. */
export type AttributeKind = 'scalar' | 'whole' | 'one' | 'many';

const isObject = (stored: Stored): boolean => stored === 'json' || stored === 'point';

/** Returns how clients merge the values of an attribute. */
export function kindOf(attribute: Attribute): AttributeKind {
  if (attribute.kind === 'scalar') return isObject(scalarTypes[attribute.type].stored) ? 'whole' : 'scalar';
  if (hasParts(attribute) || attribute.kind === 'morph') return 'whole';
  return attribute.many ? 'many' : 'one';
}

/** Returns an attribute that the caller may read; null if there is none of the name. */
export function readableAttribute(type: ContentType, name: string, access: Access): Attribute | null {
  const attribute = readable(type, name, access);
  if (attribute === null || (attribute.kind === 'scalar' && attribute.type === 'password')) return null;
  return attribute.kind === 'relation' && !maySee(access, attribute.target) ? null : attribute;
}

/** The attributes that a write names, by the names that it uses. */
export type NamedAttributes = ReadonlyMap<string, Attribute>;

/**
 * Returns the attributes that a write names. Throws a ValidationError that names those that the caller may not read and write, and
 * those that cannot be changed in this way.
 */
export function namedAttributes(type: ContentType, write: PushWrite, access: Access): NamedAttributes {
  const found = new Map<string, Attribute>();
  const refused = [
    ...checkNames(type, Object.keys(write.set), { access, attributes: found, fits: () => true }),
    ...checkNames(type, Object.keys(write.increment), { access, attributes: found, fits: isNumeric }),
    ...checkNames(type, [...Object.keys(write.add), ...Object.keys(write.remove)], { access, attributes: found, fits: isMany }),
  ];
  if (refused.length > 0)
    throw fieldErrors(
      refused
        .slice(0, maximumErrors)
        .map((name) => ({ path: [name], message: `${name} is no attribute that can be pushed like this` })),
    );
  refuseTwoNames(found);
  refuseOtherForms(found, write);
  return found;
}

/** Throws a ValidationError for links in `set` that have another form than those of copies: changes such as `{ connect }` among them. */
function refuseOtherForms(attributes: NamedAttributes, { set }: PushWrite): void {
  const problems = Object.entries(set).flatMap(([name, sides]) => {
    const attribute = attributes.get(name);
    const kind = attribute === undefined ? 'scalar' : kindOf(attribute);
    if (kind !== 'one' && kind !== 'many') return [];
    const expected = kind === 'one' ? 'an id or null' : 'a list of ids';
    return Object.entries(sides)
      .filter(([, value]) => !isLinked(value, kind))
      .map(([side]) => ({ path: [name, side], message: `${name}.${side} must be ${expected}` }));
  });
  if (problems.length > 0) throw fieldErrors(problems.slice(0, maximumErrors));
}

/** Returns whether a value has the form of a relation or of files. No files are null. */
const isLinked = (value: unknown, kind: 'one' | 'many'): boolean =>
  value === null || (kind === 'one' ? isLink(value) : Array.isArray(value) && value.every(isLink));

/** Only one of the values of an attribute could be written that is renamed and named in both ways. */
function refuseTwoNames(attributes: NamedAttributes): void {
  const firsts = new Map<Attribute, string>();
  for (const [name, attribute] of attributes) {
    const first = firsts.get(attribute);
    if (first !== undefined) throw fieldErrors([{ path: [name], message: `${name} is another name of ${first}` }]);
    firsts.set(attribute, name);
  }
}

interface Naming {
  readonly access: Access;
  readonly attributes: Map<string, Attribute>;
  readonly fits: (attribute: Attribute) => boolean;
}

/** Notes the attributes of some names. Returns the names of the others. */
const checkNames = (type: ContentType, names: readonly string[], { access, attributes, fits }: Naming): string[] =>
  names.filter((name) => {
    const attribute = readableAttribute(type, name, access);
    const isFixed = attribute === null || !attribute.writable || addedAs(type, attribute.name) === 'locale';
    if (isFixed || !fits(attribute)) return true;
    attributes.set(name, attribute);
    return false;
  });

const isNumeric = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' && scalarTypes[attribute.type].stored === 'number';

const isMany = (attribute: Attribute): boolean => kindOf(attribute) === 'many';
