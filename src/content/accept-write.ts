import { fieldErrors, validationError } from '../errors.js';
import { isHiddenLink, maySee } from '../query/access.js';
import type { BindContext } from '../query/bind-context.js';
import { type Attribute, type ContentType, underServedNames } from '../schema/content-type.js';
import { notOfType } from '../schema/findings.js';
import { parseMorphTarget } from '../schema/link-input.js';
import { hasParts, type PartsAttribute, uidOfPart } from '../schema/parts.js';
import { isRecord, type Values } from '../values.js';
import { withTimes } from './build-document.js';
import type { ContentContext } from './content-context.js';
import { hiddenValue, refuseOrTell, type Undone, unknownValues, unreadChanges } from './refuse-or-tell.js';
import { withOwner } from './rules-on-writes.js';

type Context = Pick<ContentContext, 'bind' | 'notices'>;

/** Returns the part of the data of a write that may be written, as `acceptInput` does. Code may set the times of the entry too. */
export const acceptWrite = (type: ContentType, data: unknown, context: Context): Values =>
  context.bind.access.seesPrivate === true ? acceptChanged(type, data, context) : acceptInput(type, data, context);

/** Does the same for data that code around a write has changed. */
export const acceptChanged = (type: ContentType, data: unknown, context: Context): Values =>
  withTimes(acceptInput(type, data, context), data);

/** Does the same as `acceptWrite` for a new entry, and adds the owner that the caller's rule demands. */
export function acceptNew(type: ContentType, data: unknown, context: Context): Values {
  const accepted = acceptWrite(type, data, context);
  const { access } = context.bind;
  return access.rules.has(type.uid) ? withOwner(type, accepted, access) : accepted;
}

/**
 * Returns the part of a body that may be written. The system's attributes are dropped silently, as in Strapi v4. Attributes that are
 * left out of service or that the caller may not write, and in strict mode unknown names, are refused or told. Throws a
 * ValidationError if the body is not an object.
 */
export function acceptInput(type: ContentType, data: unknown, context: Context): Values {
  if (Array.isArray(data)) throw fieldErrors([{ path: [], message: notOfType('this', 'object', null, data) }]);
  if (!isRecord(data)) throw validationError('Missing "data" payload in the request body');
  const undone: Undone[] = [];
  const accepted = acceptValues(type, data, { bind: context.bind, undone, prefix: '' });
  refuseOrTell(undone, context);
  return accepted;
}

interface Accepting extends Pick<ContentContext, 'bind'> {
  readonly undone: Undone[];
  /** The path of the values, with a dot at its end; empty for an entry. */
  readonly prefix: string;
}

function acceptValues(type: ContentType, given: Values, context: Accepting): Values {
  const values = underServedNames(type, given);
  const accepted: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    if (!attribute.writable || !Object.hasOwn(values, attribute.name) || values[attribute.name] === undefined) continue;
    if (isHidden(attribute, type, context.bind)) {
      context.undone.push(hiddenValue(attribute, type, context));
      continue;
    }
    const value = acceptValue(attribute, values[attribute.name], type, context);
    if (value !== undefined) accepted[attribute.name] = value;
  }
  for (const one of unknownValues(type, values, context)) context.undone.push(one);
  return accepted;
}

function isHidden(attribute: Attribute, type: ContentType, { access }: BindContext): boolean {
  if (access.hidden.get(type.uid)?.has(attribute.name) === true) return true;
  return attribute.kind === 'relation' && !maySee(access, attribute.target);
}

function acceptValue(attribute: Attribute, value: unknown, owner: ContentType, context: Accepting): unknown {
  const { access, registry } = context.bind;
  if (hasParts(attribute)) {
    const at = (place: string): Accepting => ({ ...context, prefix: `${context.prefix}${attribute.name}${place}.` });
    return eachItem(value, (item, place) => (isRecord(item) ? acceptPart(attribute, item, at(place)) : item));
  }
  if (attribute.kind === 'scalar') return value;
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
