import { isDeepStrictEqual } from 'node:util';
import { entityOf } from '#api/code/entity-service.js';
import { type LoadedEntry, type RelatedEntries, versionOf } from '#store/form/loaded.js';
import { maySee, readable, type Access } from '#model/query/access.js';
import type { Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import type { Child, Selection } from '#model/query/plan.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { buildScalar } from '#model/schema/build-attribute.js';
import { isRecord, type Values } from '#base/values.js';

interface Rights {
  readonly registry: Registry;
  readonly access: Access;
}

/** An entry before code of a project has changed it. */
interface EntryBefore extends Rights {
  /** Null if code has added it. */
  readonly entry: LoadedEntry | null;
  /** The entry as it was shown to code. */
  readonly before: Values;
  /** The selection of the client. It decides how values that code has not changed are answered. */
  readonly selection: Selection;
  /** Whether relations and components are answered as they were read. */
  readonly keepsChildren: boolean;
  /** Whether code has chosen what to populate. In that case the rights of the caller to it were not checked yet. */
  readonly isPopulatedByCode: boolean;
}

/** A value of an entry, or a relation or component with its targets. */
type Part =
  { readonly field: ScalarAttribute; readonly value: unknown } | { readonly child: Child; readonly related: RelatedEntries };

/**
 * Returns an entry with the values that code has set. Omits attributes that the caller may not read. Keys that are not attributes
 * are kept.
 */
export function applyChanges(after: Values, input: EntryBefore): LoadedEntry {
  const { entry, before, selection, isPopulatedByCode } = input;
  if (entry !== null && !isPopulatedByCode && isDeepStrictEqual(after, before)) return { ...entry, selection };
  const { type } = selection;
  const parts = Object.entries(after).flatMap(([name, value]) => changedPart(name, value, input));
  const kept = input.keepsChildren && entry !== null ? entry.selection.children.flatMap((_, index) => partAt(entry, index)) : [];
  return assemble(after, type, { parts: [...parts, ...kept], entry });
}

/** The access by which entries that code has changed are answered. */
export const answeringAccess = ({ includePrivate }: Query, access: Access): Access =>
  includePrivate === true ? { ...access, seesPrivate: true } : access;

interface AnsweredWrite {
  readonly query?: Query;
  readonly selection: Selection | null;
  readonly bind: BindContext;
}

/** Returns the answer of a write whose result code has changed, without other locales; null if it has not. */
export function changedAnswer(after: Values, entry: LoadedEntry, { query, selection, bind }: AnsweredWrite): LoadedEntry | null {
  const before = entityOf(entry);
  if (query === undefined || selection === null || isDeepStrictEqual(after, before)) return null;
  const keepsChildren = query.isForFields === true;
  const access = answeringAccess(query, bind.access);
  return applyChanges(after, {
    entry,
    before,
    selection,
    keepsChildren,
    isPopulatedByCode: false,
    registry: bind.registry,
    access,
  });
}

function changedPart(name: string, value: unknown, input: EntryBefore): Part[] {
  const { entry, before, selection, isPopulatedByCode } = input;
  const attribute = selection.type.attributes.get(name);
  const isSame = Object.hasOwn(before, name) && isDeepStrictEqual(value, before[name]);
  if (attribute?.kind === 'scalar') {
    const isSelected = selection.fields.some((field) => field.name === name);
    if (isSelected) return value === undefined ? [] : [{ field: asItIs(name, attribute), value }];
    return isSame ? [] : partOf(name, value, selection.type, input);
  }
  if (attribute !== undefined && input.keepsChildren) return [];
  const index = isSame && !isPopulatedByCode ? selectedIndex(entry, name) : -1;
  return index === -1 ? partOf(name, value, selection.type, input) : partAt(entry, index);
}

const selectedIndex = (entry: LoadedEntry | null, name: string): number =>
  entry?.selection.children.findIndex(({ key }) => key === name) ?? -1;

function partAt(entry: LoadedEntry | null, index: number): Part[] {
  const [child, related] = [entry?.selection.children[index], entry?.children[index]];
  return child === undefined || related === undefined ? [] : [{ child, related }];
}

/** Creates a loaded entry or component from its flat form. */
const loadFlat = (value: Values, type: ContentType, rights: Rights): LoadedEntry =>
  assemble(value, type, {
    parts: Object.entries(value).flatMap(([name, inner]) => partOf(name, inner, type, rights)),
    entry: null,
  });

function assemble(
  value: Values,
  type: ContentType,
  { parts, entry }: { readonly parts: readonly Part[]; readonly entry: LoadedEntry | null },
): LoadedEntry {
  const fields = parts.flatMap((part) => ('field' in part ? [part] : []));
  const children = parts.flatMap((part) => ('child' in part ? [part] : []));
  const locales = entry?.selection.locales ?? null;
  const others = locales === null ? [] : (entry?.children.slice(-1) ?? []);
  return {
    document: {
      ...Object.fromEntries(fields.map(({ field, value: shown }) => [field.name, shown])),
      _id: value['id'],
      id: value['id'],
    },
    selection: { type, fields: fields.map(({ field }) => field), children: children.map(({ child }) => child), locales },
    children: [...children.map(({ related }) => related), ...others],
    version: entry && versionOf(entry),
  };
}

/** Keys that the presentation of an entry adds itself. */
const added: ReadonlySet<string> = new Set(['id', '__type', '__component']);

function partOf(name: string, value: unknown, type: ContentType, rights: Rights): Part[] {
  if (added.has(name) || value === undefined) return [];
  const known = type.attributes.get(name);
  if (known === undefined) return [{ field: asItIs(name, unknown), value }];
  const attribute = readable(type, name, rights.access);
  if (attribute === null) return [];
  if (attribute.kind === 'scalar') return attribute.type === 'password' ? [] : [{ field: asItIs(name, attribute), value }];
  return childOf(attribute, value, rights);
}

function childOf(attribute: Exclude<Attribute, ScalarAttribute>, value: unknown, rights: Rights): Part[] {
  const { types } = rights.registry;
  const key = attribute.name;
  const load = (typeOf: (item: Values) => ContentType | undefined): LoadedEntry[] => loadItems(value, typeOf, rights);
  switch (attribute.kind) {
    case 'relation':
    case 'media': {
      const target = types.get(attribute.target);
      if (target === undefined || !maySee(rights.access, target.uid)) return [];
      const child = { ...wholeList, kind: 'link', key, link: attribute, target, selection: nothing(target) } as const;
      return [{ child, related: load(() => target) }];
    }
    case 'component': {
      const type = types.get(attribute.component);
      if (type === undefined) return [];
      const child = { ...wholeList, kind: 'component', key, attribute, selection: nothing(type) } as const;
      return [{ child, related: load(() => type) }];
    }
    case 'dynamiczone': {
      const child = { kind: 'zone', key, attribute, targets: new Map() } as const;
      return [{ child, related: load((item) => types.get(String(item['__component']))) }];
    }
    case 'morph': {
      const child = { kind: 'morph', key, attribute, targets: new Map(), sources: null } as const;
      const seen = (uid: string) => (maySee(rights.access, uid) ? types.get(uid) : undefined);
      return [{ child, related: load((item) => seen(String(item['__type']))) }];
    }
  }
}

const wholeList = { condition: null, sort: [], window: null, countOnly: false, reversed: false } as const;

/** Loads the items of a list. Omits those of an unknown type. */
const loadItems = (value: unknown, typeOf: (item: Values) => ContentType | undefined, rights: Rights): LoadedEntry[] =>
  [value].flat().flatMap((item) => {
    const type = isRecord(item) ? typeOf(item) : undefined;
    return isRecord(item) && type !== undefined ? [loadFlat(item, type, rights)] : [];
  });

const nothing = (type: ContentType): Selection => ({ type, fields: [], children: [], locales: null });

/** Returns an attribute of type json, so that its value is answered unchanged. */
const asItIs = (name: string, attribute: ScalarAttribute): ScalarAttribute => ({ ...attribute, name, type: 'json' });

/** The attribute for a key that the model does not have. */
const unknown = buildScalar(
  { name: '', required: false, private: false, writable: false, added: null, visible: true, localized: true },
  { type: 'json' },
  'json',
);
