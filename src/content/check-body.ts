import { type FieldError, fieldErrors } from '#base/errors.js';
import { is, matchesAll, matchesAny, matchesNone } from '#store/form/matches.js';
import type { Database, Document } from '#store/send/database.js';
import { countExisting, findStored, type Targets } from '#store/stored.js';
import { mayBeIncomplete, publishedProblems } from '#model/schema/check-published.js';
import { type CheckedInput, checkInput } from '#model/schema/check-input.js';
import { type ContentType, uploadFile } from '#model/schema/content-type.js';
import { type InputContext, type LinkedFiles, splitPath } from '#model/schema/findings.js';
import type { Values } from '#base/values.js';
import type { ContentContext } from './content-context.js';
import { refuseOrLog, type Undone } from './refuse-or-log.js';
import { ruleFilter } from './rules-on-writes.js';
import { repeatedErrors, uniqueErrors } from './unique-errors.js';

/** The entry that a body is checked for. `id` is null on a create. */
export interface BodyContext extends Pick<InputContext, 'mode' | 'draft' | 'presetNames'> {
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
  const checked = checkInput(type, data, { strict, typesOnly: context.isRaw === true, registry: context.bind.registry, ...body });
  const namesTargets = checked.targets.size > 0 && checked.relations.length === 0;
  const { missing, unfit } = namesTargets ? await checkTargets(type, checked, context) : { missing: [], unfit: [] };
  const ofFiles = strict ? unfit : [];
  const ofRelations = [...checked.relations, ...missing];
  const { id, group = null } = body;
  const write = { type, data, id, group };
  const errors = [...checked.errors, ...repeatedErrors(write, context)];
  if (errors.length + ofFiles.length + ofRelations.length === 0) return void refuseOrLog(unfit, context);
  const wrong = new Set(errors.map(({ path }) => path.join('.')));
  const duplicateErrors = (await uniqueErrors(write, context)).filter(({ path }) => !wrong.has(path.join('.')));
  throw fieldErrors([...inOrder(type, [...errors, ...duplicateErrors, ...ofFiles]), ...ofRelations]);
}

/**
 * Checks a body that is not written now. Throws the errors of `checkBody`, and also those of unique values that are taken, which an
 * index refuses during a write.
 */
export async function checkUnwritten(type: ContentType, data: Values, body: BodyContext, context: ContentContext): Promise<void> {
  await checkBody(type, data, body, context);
  const duplicateErrors = await uniqueErrors({ type, data, id: body.id }, context);
  if (duplicateErrors.length > 0) throw fieldErrors(duplicateErrors);
}

/**
 * Throws a ValidationError that lists what a published entry lacks, or of which attributes in `shared` a draft lacks the values that
 * its published locales need. Drafts may be incomplete, and so may the shared values of their groups. The queries of project code may
 * publish them.
 */
export function refuseIncomplete(
  type: ContentType,
  document: Values,
  { bind, isRaw }: ContentContext,
  shared: readonly string[] = [],
): void {
  const needsAll = isPublished(document);
  if ((!needsAll && shared.length === 0) || isRaw === true || !mayBeIncomplete(type, bind.registry)) return;
  const publicationProblems = publishedProblems(type, document, bind.registry, needsAll ? 'create' : 'update');
  const problems = needsAll ? publicationProblems : publicationProblems.filter(({ path: [name = ''] }) => shared.includes(name));
  if (problems.length > 0) throw fieldErrors(problems);
}

/** Returns whether a stored entry, or the data of one, is published. */
export const isPublished = ({ publishedAt }: Values): boolean => (publishedAt ?? null) !== null;

/** Sorts errors by the order of the attributes. */
function inOrder(type: ContentType, errors: readonly FieldError[]): FieldError[] {
  const names = [...type.attributes.keys()];
  const rank = ({ path: [name = ''] }: FieldError): number => names.indexOf(name);
  return [...errors].sort((a, b) => rank(a) - rank(b));
}

interface TargetProblems {
  /** An error for the first type of which linked entries are missing, in the wording of Strapi v4. */
  readonly missing: readonly FieldError[];
  /** Files of types that their attributes do not allow. */
  readonly unfit: readonly Undone[];
}

interface CountedTarget extends Targets {
  readonly uid: string;
  /** The paths of the values that link them, by id. */
  readonly paths: ReadonlyMap<number, string>;
  /** The number of those that exist. */
  readonly count: number;
}

/** Checks the linked entries. Those that a row rule hides from the caller count as missing. */
async function checkTargets(
  type: ContentType,
  { targets, files }: CheckedInput,
  callerContext: ContentContext,
): Promise<TargetProblems> {
  const { access } = callerContext.bind;
  const rules = access.linkRules ?? access.rules;
  const context =
    rules === access.rules ? callerContext : { ...callerContext, bind: { ...callerContext.bind, access: { ...access, rules } } };
  const wanted: Omit<CountedTarget, 'count'>[] = [];
  for (const [uid, paths] of targets) {
    const target = context.bind.registry.types.get(uid);
    const filter = target !== undefined && rules.has(uid) ? await ruleFilter(target, context) : undefined;
    wanted.push({ uid, collection: target?.collection ?? '', ids: [...paths.keys()], paths, filter });
  }
  const isLimited = ({ uid }: { readonly uid: string }): boolean => uid === uploadFile && files.length > 0;
  const fitting = wanted.map((one) =>
    isLimited(one) ? { ...one, filter: matchesAll(one.filter ?? {}, fittingFiles(files)) } : one,
  );
  const counts = await countExisting(fitting, context.store.database);
  const countedTargets = wanted.map((one, index): CountedTarget => ({ ...one, count: counts[index] ?? 0 }));
  const limited = countedTargets.find((one) => isLimited(one) && one.count < one.ids.length);
  if (limited === undefined) return { missing: await missingErrors(countedTargets, context), unfit: [] };
  const mimes = await readMimes(limited.ids, limited, context);
  const unfit = files.flatMap(({ path, ids, allowedTypes }) =>
    unfitFiles(type, path, { mimes: ids.flatMap((id) => mimes.get(id) ?? []), allowedTypes }),
  );
  const counted = countedTargets.map((one) => (one === limited ? { ...one, count: mimes.size } : one));
  return { missing: await missingErrors(counted, context), unfit };
}

async function missingErrors(countedTargets: readonly CountedTarget[], { store }: ContentContext): Promise<FieldError[]> {
  const lacking = countedTargets.find(({ ids, count }) => count < ids.length);
  if (lacking === undefined) return [];
  const missing = String(lacking.ids.length - lacking.count);
  const path = await lackingPath(lacking, store.database);
  return [{ path, message: `${missing} relation(s) of type ${lacking.uid} associated with this entity do not exist` }];
}

/** Returns the path of the first value that links a missing entry. Sends a command if several values link entries of the type. */
async function lackingPath({ paths, ...wanted }: CountedTarget, database: Database): Promise<readonly string[]> {
  const places = [...new Set(paths.values())];
  const byPlace = places.map((place) => [...paths.keys()].filter((id) => paths.get(id) === place));
  const counts =
    places.length === 1
      ? []
      : await countExisting(
          byPlace.map((ids) => ({ ...wanted, ids })),
          database,
        );
  const at = byPlace.findIndex((ids, index) => (counts[index] ?? 0) < ids.length);
  return splitPath(places[at] ?? '');
}

/** The names of media types in `allowedTypes`, with the first part of their MIME types. All others are `files`. */
const families: Readonly<Record<string, string>> = { images: 'image', videos: 'video', audios: 'audio' };

const kindOf = (mime: string): string => Object.keys(families).find((name) => families[name] === mime.split('/')[0]) ?? 'files';

/** Returns a match for files that are of the types that their attributes allow. */
function fittingFiles(files: readonly LinkedFiles[]): Document {
  const byTypes = new Map<string, { readonly types: readonly string[]; readonly ids: number[] }>();
  for (const { allowedTypes: types, ids } of files) {
    const group = byTypes.get(types.join()) ?? { types, ids: [] };
    byTypes.set(types.join(), group);
    for (const id of ids) group.ids.push(id);
  }
  return matchesAll(
    ...[...byTypes.values()].map(({ types, ids }) => matchesAny(matchesNone({ _id: is.oneOf(ids) }), ofTypes(types))),
  );
}

function ofTypes(types: readonly string[]): Document {
  const mimes = (names: readonly string[]): Document => ({
    mime: is.startingWith(...names.map((name) => `${String(families[name])}/`)),
  });
  const named = types.filter((name) => Object.hasOwn(families, name));
  return matchesAny(
    ...(named.length > 0 ? [mimes(named)] : []),
    ...(types.includes('files') ? [matchesNone(mimes(Object.keys(families)))] : []),
  );
}

/** Reads the MIME types of files, by id. Files that do not exist are missing. Sends one command. */
async function readMimes(
  ids: readonly number[],
  { collection, filter = {} }: { readonly collection: string; readonly filter?: Document | undefined },
  { store }: Pick<ContentContext, 'store'>,
): Promise<ReadonlyMap<number, string>> {
  const match = matchesAll({ _id: is.oneOf(ids) }, filter);
  const rows = await findStored(store.database, collection, { match, fields: ['mime'] });
  return new Map(rows.map(({ _id, mime }) => [Number(_id), String(mime)]));
}

/**
 * Returns a part that is not carried out if a file at a path is not of an allowed type: Strapi v4 links it. An empty list allows
 * all types.
 */
export const unfitFiles = (
  { uid }: Pick<ContentType, 'uid'>,
  path: string,
  { mimes, allowedTypes }: { readonly mimes: readonly string[]; readonly allowedTypes: readonly string[] },
): readonly Undone[] =>
  allowedTypes.length === 0 || mimes.every((mime) => allowedTypes.includes(kindOf(mime)))
    ? []
    : [
        {
          path: splitPath(path),
          message: `${path} takes only ${allowedTypes.join(', ')}`,
          cause: `${path.replace(/\[\d+\]|\.\d+/g, '')} of ${uid} takes only ${allowedTypes.join(', ')}, and a file of another type was linked`,
          remedy: 'strict mode (api.rest.strict) refuses it',
        },
      ];
