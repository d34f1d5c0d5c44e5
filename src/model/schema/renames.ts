import { isRecord, type Values } from '#base/values.js';
import type { Model, ModelDocument } from './model.js';

/** A new name that a model has for an attribute, or a new uid for a type. */
export interface Rename {
  readonly kind: 'attribute' | 'type';
  /** The uid of the model that asks for it. */
  readonly uid: string;
  readonly from: string;
  readonly to: string;
}

/** A rename, and the name that is served now. */
interface ServedRename extends Rename {
  readonly serves: 'from' | 'to';
  /** The collection of a type before it was renamed, which it keeps. */
  readonly collection?: string;
}

/** Returns the renames that documents ask for. */
export const renamesIn = (documents: readonly ModelDocument[]): readonly Rename[] =>
  documents.flatMap((document) => {
    const { uid, renamedFrom, attributes } = document;
    const ofType: readonly Rename[] =
      typeof renamedFrom === 'string' && renamedFrom !== uid ? [{ kind: 'type', uid, from: renamedFrom, to: uid }] : [];
    const named = isRecord(attributes) ? Object.entries(attributes) : [];
    const ofAttributes = named.flatMap(([to, definition]): Rename[] => {
      const from = isRecord(definition) ? definition['renamedFrom'] : undefined;
      return typeof from === 'string' && from !== to && !named.some(([name]) => name === from)
        ? [{ kind: 'attribute', uid, from, to }]
        : [];
    });
    return [...ofType, ...ofAttributes];
  });

/**
 * Returns documents with the names that are served now. An attribute whose values are not moved yet has its former name, and the
 * new one as its alias. References from other models follow, whichever of both names they use.
 */
export function withServedNames(documents: readonly ModelDocument[], renames: readonly ServedRename[]): readonly ModelDocument[] {
  if (renames.length === 0) return documents;
  const uids = new Set(documents.map(({ uid }) => uid));
  const types = renames.filter(({ kind }) => kind === 'type');
  const hidden = new Set(types.map(({ serves, from, to }) => (serves === 'from' && uids.has(from) ? to : from)));
  return documents.filter(({ uid }) => !hidden.has(uid)).map((document) => withNames(document, renames));
}

function withNames(document: ModelDocument, renames: readonly ServedRename[]): ModelDocument {
  const { uid, attributes, options } = document;
  const ofType = renames.find(({ kind, from, to }) => kind === 'type' && (to === uid || from === uid));
  const own = ofType === undefined ? {} : typeNames(ofType);
  if (!isRecord(attributes)) return { ...document, ...own };
  const entries = Object.entries(attributes).map(([name, definition]): [string, unknown] => {
    const rename = attributeRename(renames, uid, name);
    const served = rename === undefined ? name : rename[rename.serves];
    return [served, isRecord(definition) ? withReferences(definition, { uid, rename, renames }) : definition];
  });
  const listed = (name: unknown): unknown => servedName(renames, uid, name);
  return {
    ...document,
    ...own,
    attributes: Object.fromEntries(entries),
    ...(isRecord(options) &&
      Array.isArray(options['privateAttributes']) && {
        options: { ...options, privateAttributes: options['privateAttributes'].map(listed) },
      }),
  };
}

/** Returns the collection of a renamed type, and the other uid that stored links may have. */
const typeNames = ({ serves, from, to, collection }: ServedRename): object => ({
  renamedFrom: serves === 'from' ? to : from,
  ...(collection !== undefined && { collectionName: collection }),
});

interface Referring {
  readonly uid: string;
  readonly rename: ServedRename | undefined;
  readonly renames: readonly ServedRename[];
}

/** Returns a definition whose references have the served names. */
function withReferences(definition: Values, { uid, rename, renames }: Referring): Values {
  const target = [definition['target']].flat().map((one) => servedUid(renames, one));
  const other = String(target[0]);
  const changed = {
    target: Array.isArray(definition['target']) ? target : target[0],
    ...Object.fromEntries(['inversedBy', 'mappedBy', 'morphBy'].map((key) => [key, servedName(renames, other, definition[key])])),
    targetField: servedName(renames, uid, definition['targetField']),
    ...(rename !== undefined && { renamedFrom: rename[rename.serves === 'from' ? 'to' : 'from'] }),
  };
  const present = Object.entries(changed).filter(([key]) => definition[key] !== undefined);
  return { ...definition, ...(Object.fromEntries(present) as Values) };
}

const attributeRename = (renames: readonly ServedRename[], uid: string, name: unknown): ServedRename | undefined =>
  renames.find((one) => one.kind === 'attribute' && one.uid === uid && (one.to === name || one.from === name));

function servedName(renames: readonly ServedRename[], uid: string, name: unknown): unknown {
  const rename = attributeRename(renames, uid, name);
  return rename === undefined ? name : rename[rename.serves];
}

/** Returns the uid that is served for a type. */
function servedUid(renames: readonly ServedRename[], uid: unknown): unknown {
  const rename = renames.find(({ kind, from, to }) => kind === 'type' && (from === uid || to === uid));
  return rename === undefined ? uid : rename[rename.serves];
}

/** Returns the aliases of the attributes of a model; null if it has none. */
export function aliasesOf({ attributes }: Pick<Model, 'attributes'>): ReadonlyMap<string, string> | null {
  const aliases = Object.entries(attributes).flatMap(([name, { renamedFrom }]) =>
    renamedFrom === undefined ? [] : [[renamedFrom, name] as const],
  );
  return aliases.length === 0 ? null : new Map(aliases);
}

/** Returns the problems of the former names in a model. */
export function renameProblems({ uid, kind, renamedFrom, attributes, shard }: Model): string[] {
  const former = Object.entries(attributes).map(([name, definition]) => [name, definition.renamedFrom] as const);
  const keys = typeof shard === 'object' ? Object.keys(shard) : [];
  const ofAttributes = former.flatMap(([name, from]) => {
    const about = `attributes.${name}.renamedFrom: ${String(from)}`;
    if (from === undefined) return [];
    if (Object.hasOwn(attributes, from)) return [`${about} is an attribute of the model; a former name must be free`];
    if (former.some(([other, same]) => same === from && other !== name)) return [`${about} is the former name of two attributes`];
    return keys.includes(name) ? [`${about} cannot be moved, because the attribute is part of the shard key`] : [];
  });
  if (renamedFrom === undefined) return ofAttributes;
  if (kind === undefined) return ['renamedFrom: only content types can be renamed, not components', ...ofAttributes];
  return renamedFrom === uid ? ['renamedFrom: names the type itself', ...ofAttributes] : ofAttributes;
}

/** Returns the problems of documents that no longer name an attribute whose values are being moved, by uid. */
export const movedAway = (documents: readonly ModelDocument[], open: readonly Rename[]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    documents.flatMap((document) => {
      const { uid, attributes } = document;
      const lost = open.filter(
        (one) => one.kind === 'attribute' && one.uid === uid && isRecord(attributes) && !Object.hasOwn(attributes, one.to),
      );
      const text = ({ from, to }: Rename): string =>
        `attributes.${to} is being renamed from ${from}: store this model when that is done`;
      return lost.length === 0 ? [] : [[uid, lost.map(text)] as const];
    }),
  );

/** Returns documents without those of types that others rename. */
export function withoutRenamed(documents: readonly ModelDocument[]): readonly ModelDocument[] {
  const former = new Set(renamesIn(documents).flatMap(({ kind, from }) => (kind === 'type' ? [from] : [])));
  return former.size === 0 ? documents : documents.filter(({ uid }) => !former.has(uid));
}
