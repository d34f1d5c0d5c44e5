import { fieldErrors, validationError } from '#base/errors.js';
import { isHiddenLink, maySee } from '#model/query/access.js';
import type { BindContext } from '#model/query/bind-context.js';
import { isSettable } from '#model/schema/added-attributes.js';
import { plainScalar, toJson } from '#model/schema/code-values.js';
import { type Attribute, type ContentType, type ScalarAttribute, underServedNames } from '#model/schema/content-type.js';
import { notOfType } from '#model/schema/findings.js';
import { linksOfCode, parseMorphTarget } from '#model/schema/link-input.js';
import { hasParts, type PartsAttribute, uidOfPart } from '#model/schema/parts.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { isRecord, type Values } from '#base/values.js';
import { withTimes } from './build-document.js';
import type { ContentContext } from './content-context.js';
import { hiddenValue, refuseOrLog, type Undone, unknownValues, unreadChanges } from './refuse-or-log.js';
import { withOwner } from './rules-on-writes.js';

type Context = Pick<ContentContext, 'bind' | 'notices' | 'isRaw' | 'author'>;

/**
 * Returns the part of the data of a write that may be written, as `acceptInput` does. Code may set the times and the administrators of
 * the entry too; an administrator may not, because the panel sends those that it has read.
 */
export function acceptWrite(type: ContentType, data: unknown, context: Context): Values {
  if (context.isRaw === true) return acceptChangedData(type, data, context);
  if (context.bind.access.seesPrivate !== true) return acceptInput(type, data, context);
  return withTimes(acceptFrom(type, data, { isUnchecked: false, takesCreators: context.author === undefined }, context), data);
}

/**
 * Does the same for data that code around a write has changed. These, and those of queries of code, may write relations in more forms,
 * and numbers as texts, because Strapi v4 does not check them.
 */
export const acceptChangedData = (type: ContentType, data: unknown, context: Context): Values =>
  withTimes(acceptFrom(type, data, { isUnchecked: true, takesCreators: true }, context), data);

/** Does the same as `acceptWrite` for a new entry, and adds the owner that the caller's rule demands. */
export function acceptNewEntry(type: ContentType, data: unknown, context: Context): Values {
  const accepted = acceptWrite(type, data, context);
  const { access } = context.bind;
  if (access.seesPrivate === true && isRecord(data) && (data['id'] ?? null) !== null) tellOwnId(type, context);
  return access.rules.has(type.uid) ? withOwner(type, accepted, access) : accepted;
}

const tellOwnId = ({ uid }: ContentType, { notices }: Context): void => {
  notices.logOnce(
    `${uid}: the id in the data of a new entry has no effect, because the service numbers entries; find it by a value of its own`,
  );
};

/**
 * Returns the part of a body that may be written. The system's attributes are dropped silently, as in Strapi v4. Attributes that are
 * left out of service or that the caller may not write, and in strict mode unknown names, are refused or told. Throws a
 * ValidationError if the body is not an object.
 */
export const acceptInput = (type: ContentType, data: unknown, context: Context): Values =>
  acceptFrom(type, data, { isUnchecked: false, takesCreators: false }, context);

function acceptFrom(type: ContentType, data: unknown, takes: AcceptedForms, context: Context): Values {
  if (Array.isArray(data)) throw fieldErrors([{ path: [], message: notOfType('this', 'object', null, data) }]);
  if (!isRecord(data)) throw validationError('Missing "data" payload in the request body');
  const undone: Undone[] = [];
  const accepted = acceptValues(type, data, { ...takes, bind: context.bind, undone, prefix: '' });
  refuseOrLog(undone, context);
  return accepted;
}

/** What the data of code may have beyond that of a client. */
interface AcceptedForms {
  /**
   * Whether Strapi v4 stores the values without a check: relations may have all forms that code uses (`linksOfCode`), and attributes of
   * text take numbers and booleans.
   */
  readonly isUnchecked: boolean;
  readonly takesCreators: boolean;
}

interface Accepting extends AcceptedForms, Pick<ContentContext, 'bind'> {
  readonly undone: Undone[];
  /** The path of the values, with a dot at its end; empty for an entry. */
  readonly prefix: string;
}

function acceptValues(type: ContentType, given: Values, context: Accepting): Values {
  const values = underServedNames(type, given);
  const accepted: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    if (!Object.hasOwn(values, attribute.name) || values[attribute.name] === undefined) continue;
    if (!isTaken(attribute, context)) {
      if (context.takesCreators && attribute.kind === 'morph') context.undone.push(derivedLinks(attribute, type));
      continue;
    }
    if (attribute.writable && isHidden(attribute, type, context.bind)) {
      context.undone.push(hiddenValue(attribute, type, context));
      continue;
    }
    const value = acceptValue(attribute, values[attribute.name], type, context);
    if (value !== undefined) accepted[attribute.name] = value;
  }
  for (const one of unknownValues(type, values, context)) context.undone.push(one);
  return accepted;
}

/** Returns what code asks for and does not get: links that are stored only on their other side, as those of files to entries. */
const derivedLinks = ({ name }: Attribute, { uid }: ContentType): Undone => ({
  path: [name],
  message: `${name} of ${uid} is not stored, because the entries store their links`,
  remedy: 'write the attribute of the entry, such as { cover: id }',
});

const isTaken = (attribute: Attribute, { takesCreators }: AcceptedForms): boolean =>
  takesCreators ? isSettable(attribute) : attribute.writable;

/** Returns a value as it comes in JSON, because code may have set an object of a class. */
function acceptScalar({ type, name }: ScalarAttribute, given: unknown, { prefix, isUnchecked }: Accepting): unknown {
  if (scalarTypes[type].stored === 'json') return toJson(given, `${prefix}${name}`);
  const value = plainScalar(given);
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isUnchecked && isPlain && scalarTypes[type].name === 'string' ? String(value) : value;
}

function isHidden(attribute: Attribute, type: ContentType, { access }: BindContext): boolean {
  if (access.hidden.get(type.uid)?.has(attribute.name) === true) return true;
  return attribute.kind === 'relation' && !maySee(access, attribute.target);
}

function acceptValue(attribute: Attribute, given: unknown, owner: ContentType, context: Accepting): unknown {
  const { access, registry } = context.bind;
  const isLink = attribute.kind !== 'scalar' && !hasParts(attribute);
  const value = isLink && context.isUnchecked ? linksOfCode(given) : given;
  if (hasParts(attribute)) {
    const at = (place: string): Accepting => ({ ...context, prefix: `${context.prefix}${attribute.name}${place}.` });
    return eachItem(value, (item, place) => (isRecord(item) ? acceptPart(attribute, item, at(place)) : item));
  }
  if (attribute.kind === 'scalar') return acceptScalar(attribute, value, context);
  context.undone.push(...unreadChanges(attribute, value, owner, context.prefix));
  if (attribute.kind !== 'morph') return value;
  return acceptTargets(value, (item) => {
    const target = parseMorphTarget(item).uid; // null is refused by a later check, or removes the link
    return target === null || (maySee(access, target) && !isHiddenLink({ owner, attribute, target }, { access, registry }));
  });
}

const changes = ['set', 'connect', 'disconnect'] as const;

/** Returns the change of a polymorphic relation without targets, and positions beside targets, that the caller may not see. */
function acceptTargets(value: unknown, isSeen: (item: unknown) => boolean): unknown {
  const accept = (item: unknown): unknown => (isSeen(item) ? withoutUnseen(item, isSeen) : undefined);
  if (!isRecord(value)) return eachItem(value, accept);
  const given = changes.filter((name) => value[name] !== undefined);
  if (given.length === 0) return accept(value);
  return { ...value, ...Object.fromEntries(given.map((name) => [name, eachItem(value[name], accept)])) };
}

function withoutUnseen(item: unknown, isSeen: (item: unknown) => boolean): unknown {
  const position = isRecord(item) ? item['position'] : undefined;
  if (!isRecord(item) || !isRecord(position)) return item;
  return isSeen(position['before']) && isSeen(position['after']) ? item : { ...item, position: undefined };
}

/** Applies `accept` to an item or to each of a list, with its place: empty or `[0]`. */
function eachItem(value: unknown, accept: (item: unknown, place: string) => unknown): unknown {
  if (!Array.isArray(value)) return accept(value, '');
  return value.map((item, index) => accept(item, `[${String(index)}]`)).filter((item) => item !== undefined);
}

function acceptPart(attribute: PartsAttribute, item: Values, context: Accepting): Values {
  const { id, __component: uid } = item;
  const isInZone = attribute.kind === 'dynamiczone';
  const mark = isInZone && uid !== undefined && { __component: uid };
  const type = isInZone && typeof uid !== 'string' ? undefined : context.bind.registry.types.get(uidOfPart(attribute, item));
  if (type?.kind !== 'component') return { ...mark };
  return { ...mark, ...(id !== undefined && { id }), ...acceptValues(type, item, context) };
}
