import { type FieldError, fieldErrors, validationError } from '../errors.js';
import { oneOf } from '../mongo/matches.js';
import { readAll } from '../mongo/database.js';
import { countExisting, type Targets } from '../mongo/read/look-ups.js';
import { type Access, isHiddenLink, maySee } from '../query/access.js';
import { mayBeIncomplete, publishedProblems } from '../schema/check-published.js';
import { type CheckedInput, checkInput } from '../schema/check-input.js';
import { type Attribute, type ContentType, type Registry, uploadFile } from '../schema/content-type.js';
import { isRecord, type Values } from '../values.js';
import { type InputContext, type LinkedFiles, notOfType, splitPath } from '../schema/findings.js';
import { parseMorphTarget } from '../schema/link-input.js';
import type { ContentContext } from './content-context.js';
import { ruleFilter, withOwner } from './rules-on-writes.js';
import { uniqueErrors } from './unique-errors.js';

/** The entry that a body is checked for. `id` is null on a create. */
export interface BodyContext extends Pick<InputContext, 'mode' | 'draft' | 'held'> {
  readonly id: number | null;
  /** The localization group that a new entry joins; null if it starts a group of its own. */
  readonly group?: number | null;
}

/**
 * Checks a body, and that all entries that it links exist. Throws a ValidationError that lists all problems, including unique
 * values that are taken. A valid body without links costs no command. A body with links costs one command, one more if it links
 * files, and those of row rules on the linked entries.
 */
export async function checkBody(type: ContentType, data: Values, body: BodyContext, context: ContentContext): Promise<void> {
  const checked = checkInput(type, data, { strict: context.bind.settings.strict, registry: context.bind.registry, ...body });
  const namesTargets = checked.targets.size > 0 && !checked.errors.some(({ path }) => path.length === 0);
  const missing = namesTargets ? await missingTargets(checked, context) : [];
  const unfit = checked.files.length > 0 ? await fileErrors(checked.files, context) : [];
  if (checked.errors.length + missing.length + unfit.length === 0) return;
  const wrong = new Set(checked.errors.map(({ path }) => path.join('.')));
  const { id, group = null } = body;
  const taken = (await uniqueErrors({ type, data, id, group }, context)).filter(({ path }) => !wrong.has(path.join('.')));
  throw fieldErrors(inOrder(type, [...checked.errors, ...taken, ...unfit, ...missing]));
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

/**
 * Returns an error for the first type of which linked entries are missing, in the wording of Strapi v4. Entries that a row rule
 * hides from the caller count as missing.
 */
async function missingTargets({ targets }: CheckedInput, context: ContentContext): Promise<FieldError[]> {
  const wanted: (Targets & { readonly uid: string })[] = [];
  for (const [uid, ids] of targets) {
    const type = context.bind.registry.types.get(uid);
    const filter = type !== undefined && context.bind.access.rules.has(uid) ? await ruleFilter(type, context) : undefined;
    wanted.push({ uid, collection: type?.collection ?? '', ids: [...ids], filter });
  }
  const counts = await countExisting(wanted, context.store.database);
  const at = wanted.findIndex(({ ids }, index) => (counts[index] ?? 0) < ids.length);
  const lacking = wanted[at];
  if (lacking === undefined) return [];
  const count = lacking.ids.length - (counts[at] ?? 0);
  return [{ path: [], message: `${String(count)} relation(s) of type ${lacking.uid} associated with this entity do not exist` }];
}

/**
 * Returns an error for each attribute with a file of a type that it does not allow (`images`, `videos`, `audios`, `files`). Sends
 * one command.
 */
async function fileErrors(files: readonly LinkedFiles[], { store, bind }: ContentContext): Promise<FieldError[]> {
  const ids = [...new Set(files.flatMap((linked) => linked.ids))];
  const type = bind.registry.types.get(uploadFile);
  if (type === undefined) return [];
  const command = { find: type.collection, filter: { _id: oneOf(ids) }, projection: { mime: 1 }, batchSize: ids.length };
  const rows = await readAll(store.database, command);
  const mimes = new Map(rows.map(({ _id, mime }) => [Number(_id), String(mime)]));
  return files.flatMap(({ path, ids: linked, allowedTypes }) =>
    unfitErrors(
      path,
      linked.flatMap((id) => mimes.get(id) ?? []),
      allowedTypes,
    ),
  );
}

/** Returns an error if a file at a path is not of an allowed type. An empty list allows all types. */
export const unfitErrors = (path: string, mimes: readonly string[], allowedTypes: readonly string[]): FieldError[] =>
  allowedTypes.length === 0 || mimes.every((mime) => allowedTypes.includes(kindOf(mime)))
    ? []
    : [{ path: splitPath(path), message: `${path} takes only ${allowedTypes.join(', ')}` }];

/** Returns the name that models use for a media type: `images`, `videos` or `audios`; `files` for all others. */
function kindOf(mime: string): string {
  const [family = ''] = mime.split('/');
  return ['image', 'video', 'audio'].includes(family) ? `${family}s` : 'files';
}

/**
 * Returns the part of a body that may be written: unknown names, the system's attributes, and relations to types that the caller
 * may not see are dropped silently, as in Strapi v4. Throws a ValidationError if the body is not an object.
 */
export function acceptInput(type: ContentType, data: unknown, context: Context): Values {
  if (Array.isArray(data)) throw fieldErrors([{ path: [], message: notOfType('this', 'object', null, data) }]);
  if (!isRecord(data)) throw validationError('Missing "data" payload in the request body');
  return acceptValues(type, data, context);
}

/** Does the same as `acceptInput` for a new entry, and adds the owner that the caller's rule demands. */
export function acceptNew(type: ContentType, data: unknown, context: Context): Values {
  const accepted = acceptInput(type, data, context);
  return context.access.rules.has(type.uid) ? withOwner(type, accepted, context.access) : accepted;
}

interface Context {
  readonly access: Access;
  readonly registry: Registry;
}

function acceptValues(type: ContentType, values: Values, context: Context): Values {
  const accepted: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    if (!attribute.writable || !Object.hasOwn(values, attribute.name) || values[attribute.name] === undefined) continue;
    if (isHidden(attribute, type, context)) continue;
    const value = acceptValue(attribute, values[attribute.name], type, context);
    if (value !== undefined) accepted[attribute.name] = value;
  }
  return accepted;
}

function isHidden(attribute: Attribute, type: ContentType, { access }: Context): boolean {
  if (access.hidden.get(type.uid)?.has(attribute.name) === true) return true;
  return attribute.kind === 'relation' && !maySee(access, attribute.target);
}

function acceptValue(attribute: Attribute, value: unknown, owner: ContentType, context: Context): unknown {
  if (attribute.kind === 'component') {
    const type = context.registry.types.get(attribute.component);
    return type === undefined ? value : eachItem(value, (item) => acceptPart(type, item, context));
  }
  if (attribute.kind === 'dynamiczone') return eachItem(value, (item) => acceptZonePart(item, context));
  if (attribute.kind === 'morph')
    return acceptTargets(value, (item) => {
      const target = parseMorphTarget(item).uid; // null is refused by a later check, or removes the link
      return target === null || (maySee(context.access, target) && !isHiddenLink({ owner, attribute, target }, context));
    });
  return value;
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

function eachItem(value: unknown, accept: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(accept).filter((item) => item !== undefined) : accept(value);
}

function acceptPart(type: ContentType, item: unknown, context: Context): unknown {
  if (!isRecord(item)) return item;
  const accepted = acceptValues(type, item, context);
  return item['id'] === undefined ? accepted : { id: item['id'], ...accepted };
}

function acceptZonePart(item: unknown, context: Context): unknown {
  if (!isRecord(item)) return item;
  const uid = item['__component'];
  const type = typeof uid === 'string' ? context.registry.types.get(uid) : undefined;
  if (type?.kind !== 'component') return uid === undefined ? {} : { __component: uid };
  return { __component: uid, ...(acceptPart(type, item, context) as Values) }; // an object in, an object out
}
