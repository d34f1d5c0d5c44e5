import { type FieldError, fieldErrors, validationError } from '../errors.js';
import { matchesAll } from '../mongo/form/matches.js';
import { countExisting, type Targets } from '../mongo/read/look-ups.js';
import { mayBeIncomplete, publishedProblems } from '../schema/check-published.js';
import { isHiddenLink, maySee } from '../query/access.js';
import type { BindContext } from '../query/bind-context.js';
import { type CheckedInput, checkInput } from '../schema/check-input.js';
import { type Attribute, type ContentType, uploadFile } from '../schema/content-type.js';
import { hasParts, type PartsAttribute, uidOfPart } from '../schema/parts.js';
import { underServedNames } from '../schema/served-names.js';
import { isRecord, type Values } from '../values.js';
import { type InputContext, notOfType } from '../schema/findings.js';
import { parseMorphTarget } from '../schema/link-input.js';
import { fittingFiles, readMimes, unfitFiles } from './allowed-files.js';
import type { ContentContext } from './content-context.js';
import { refuseOrTell, type Undone } from './refuse-or-tell.js';
import { ruleFilter } from './rules-on-writes.js';
import { uniqueErrors } from './unique-errors.js';
import { hiddenValue, unknownValues, unreadChanges } from './values-left-out.js';

/** The entry that a body is checked for. `id` is null on a create. */
export interface BodyContext extends Pick<InputContext, 'mode' | 'draft' | 'held'> {
  readonly id: number | null;
  /** The localization group that a new entry joins; null if it starts a group of its own. */
  readonly group?: number | null;
}

/**
 * Checks a body, and that all entries that it links exist. Throws a ValidationError that lists all problems, including unique
 * values that are taken. A valid body without links costs no command. A body with links costs one command, one more for a file of a
 * type that its attribute does not allow, and those of row rules on the linked entries.
 */
export async function checkBody(type: ContentType, data: Values, body: BodyContext, context: ContentContext): Promise<void> {
  const { strict } = context.bind.settings;
  const checked = checkInput(type, data, { strict, registry: context.bind.registry, ...body });
  const namesTargets = checked.targets.size > 0 && !checked.errors.some(({ path }) => path.length === 0);
  const { missing, unfit } = namesTargets ? await checkTargets(type, checked, context) : { missing: [], unfit: [] };
  const others = [...(strict ? unfit : []), ...missing];
  if (checked.errors.length + others.length === 0) return void refuseOrTell(unfit, context);
  const wrong = new Set(checked.errors.map(({ path }) => path.join('.')));
  const { id, group = null } = body;
  const taken = (await uniqueErrors({ type, data, id, group }, context)).filter(({ path }) => !wrong.has(path.join('.')));
  throw fieldErrors(inOrder(type, [...checked.errors, ...taken, ...others]));
}

/**
 * Checks a body that is not written now. Throws the errors of `checkBody`, and also those of unique values that are taken, which an
 * index refuses during a write.
 */
export async function checkUnwritten(type: ContentType, data: Values, body: BodyContext, context: ContentContext): Promise<void> {
  await checkBody(type, data, body, context);
  const taken = await uniqueErrors({ type, data, id: body.id }, context);
  if (taken.length > 0) throw fieldErrors(taken);
}

/**
 * Throws a ValidationError that lists what a published entry lacks. Drafts may be incomplete, and so may the shared values of their
 * groups. The queries of project code may publish them.
 */
export function refuseIncomplete(type: ContentType, document: Values, { bind, checksAsDrafts }: ContentContext): void {
  if ((document['publishedAt'] ?? null) === null || checksAsDrafts === true || !mayBeIncomplete(type, bind.registry)) return;
  const problems = publishedProblems(type, document, bind.registry);
  if (problems.length > 0) throw fieldErrors(problems);
}

/** Sorts errors by the order of the attributes; those without a path come last. */
function inOrder(type: ContentType, errors: readonly FieldError[]): FieldError[] {
  const names = [...type.attributes.keys()];
  const rank = ({ path: [name] }: FieldError): number => (name === undefined ? names.length : names.indexOf(name));
  return [...errors].sort((a, b) => rank(a) - rank(b));
}

interface TargetProblems {
  /** An error for the first type of which linked entries are missing, in the wording of Strapi v4. */
  readonly missing: readonly FieldError[];
  /** Files of types that their attributes do not allow. */
  readonly unfit: readonly Undone[];
}

interface Wanted extends Targets {
  readonly uid: string;
  /** The number of those that exist. */
  readonly count: number;
}

/** Checks the linked entries. Those that a row rule hides from the caller count as missing. */
async function checkTargets(type: ContentType, { targets, files }: CheckedInput, given: ContentContext): Promise<TargetProblems> {
  const { access } = given.bind;
  const rules = access.linkRules ?? access.rules;
  const context = rules === access.rules ? given : { ...given, bind: { ...given.bind, access: { ...access, rules } } };
  const wanted: Omit<Wanted, 'count'>[] = [];
  for (const [uid, ids] of targets) {
    const target = context.bind.registry.types.get(uid);
    const filter = target !== undefined && rules.has(uid) ? await ruleFilter(target, context) : undefined;
    wanted.push({ uid, collection: target?.collection ?? '', ids: [...ids], filter });
  }
  const isLimited = ({ uid }: { readonly uid: string }): boolean => uid === uploadFile && files.length > 0;
  const fitting = wanted.map((one) =>
    isLimited(one) ? { ...one, filter: matchesAll(one.filter ?? {}, fittingFiles(files)) } : one,
  );
  const counts = await countExisting(fitting, context.store.database);
  const found = wanted.map((one, index): Wanted => ({ ...one, count: counts[index] ?? 0 }));
  const limited = found.find((one) => isLimited(one) && one.count < one.ids.length);
  if (limited === undefined) return { missing: missingErrors(found), unfit: [] };
  const mimes = await readMimes(limited.ids, limited, context);
  const unfit = files.flatMap(({ path, ids, allowedTypes }) =>
    unfitFiles(type, path, { mimes: ids.flatMap((id) => mimes.get(id) ?? []), allowedTypes }),
  );
  return { missing: missingErrors(found.map((one) => (one === limited ? { ...one, count: mimes.size } : one))), unfit };
}

function missingErrors(found: readonly Wanted[]): FieldError[] {
  const lacking = found.find(({ ids, count }) => count < ids.length);
  if (lacking === undefined) return [];
  const missing = String(lacking.ids.length - lacking.count);
  return [{ path: [], message: `${missing} relation(s) of type ${lacking.uid} associated with this entity do not exist` }];
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

type Context = Pick<ContentContext, 'bind' | 'notices'>;

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
