import { idKey } from '../../mongo/transfer/id-map.js';
import type { TransferredEntry, TransferredLink } from '../../mongo/transfer/transferred.js';
import { isRecord, type Values } from '../../values.js';
import { ownAttributes, relationOf, stampNames, type V3Model } from './v3-models.js';

/** A document with the components that it refers to, by attribute. */
export interface V3Entry {
  readonly model: V3Model;
  readonly document: Values;
  readonly parts: ReadonlyMap<string, readonly V3Entry[]>;
}

/** The models of a database, and the numbers of documents by their keys. */
interface V3Context {
  readonly models: readonly V3Model[];
  readonly numbers: ReadonlyMap<string, number>;
}

const keyOf = ({ model, document }: V3Entry): string => idKey(model.collection, String(document['_id']));

/** A reference from a document to another. */
interface Reference {
  readonly field: string;
  readonly kind: 'media' | 'link' | 'morph';
  readonly target: V3Model;
  readonly id: string;
  readonly many: boolean;
}

/** The references that a document keeps, in their order; not those of its components. */
function referencesOf({ model, document }: V3Entry, models: readonly V3Model[]): readonly Reference[] {
  const own = ownAttributes(model).flatMap(([field]) => {
    const relation = relationOf(model, field, models);
    if (relation === null || !relation.keeps) return [];
    const values = [document[field]].flat();
    const many = Array.isArray(document[field]);
    return values.flatMap((value): readonly Reference[] => {
      const target = relation.target ?? modelOfKind(value, models);
      const id = relation.kind === 'morph' && isRecord(value) ? value['ref'] : value;
      return target === null || typeof id !== 'string' ? [] : [{ field, kind: relation.kind, target, id, many }];
    });
  });
  const locales = [document['localizations'] ?? []].flat().filter((id): id is string => typeof id === 'string');
  return [...own, ...locales.map((id) => ({ field: 'localizations', kind: 'link' as const, target: model, id, many: true }))];
}

/** Polymorphic links name the `globalId` of a model: `Article`, `ComponentSharedSeo`. */
export function modelOfKind(value: unknown, models: readonly V3Model[]): V3Model | null {
  const kind = isRecord(value) ? spelling(String(value['kind'])) : '';
  const names = ({ uid, name, plugin, definition }: V3Model): readonly string[] => [
    spelling(String(definition['globalId'] ?? '')),
    spelling(uid.includes('::') ? `${plugin ?? ''}${name}` : `component_${uid}`),
  ];
  return kind === '' ? null : (models.find((model) => names(model).includes(kind)) ?? null);
}

const spelling = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** The keys of all documents that an entry names, itself included. */
export function keysIn(entry: V3Entry, models: readonly V3Model[]): readonly string[] {
  const references = referencesOf(entry, models).map(({ target, id }) => idKey(target.collection, id));
  return [keyOf(entry), ...references, ...[...entry.parts.values()].flat().flatMap((part) => keysIn(part, models))];
}

/** Returns the entry as archives hold it. */
export function toEntry(entry: V3Entry, context: V3Context): TransferredEntry {
  return { type: entry.model.uid, id: context.numbers.get(keyOf(entry)) ?? 1, data: dataOf(entry, context) };
}

function dataOf({ model, document, parts }: V3Entry, context: V3Context): Values {
  const values = ownAttributes(model).flatMap(([name, { type, repeatable }]) => {
    if (typeof type !== 'string') return [];
    const own = parts.get(name);
    if (own === undefined) return [[name, document[name] ?? null] as const];
    const list = own.map((part) => ({
      ...(type === 'dynamiczone' && { __component: part.model.uid }),
      id: context.numbers.get(keyOf(part)) ?? 1,
      ...dataOf(part, context),
    }));
    return [[name, type === 'dynamiczone' || repeatable === true ? list : (list[0] ?? null)] as const];
  });
  const [created, updated] = stampNames(model);
  const system = model.uid.includes('::')
    ? {
        createdAt: document[created] ?? null,
        updatedAt: document[updated] ?? null,
        publishedAt: document['published_at'] ?? null,
        locale: document['locale'] ?? null,
      }
    : {};
  return { ...Object.fromEntries(values), ...system };
}

/** Returns the links that an entry and its components keep. */
export function toLinks(entry: V3Entry, context: V3Context): readonly TransferredLink[] {
  const holder = { type: entry.model.uid, id: context.numbers.get(keyOf(entry)) ?? 1 };
  const positions = new Map<string, number>();
  const own = referencesOf(entry, context.models).flatMap(
    ({ field, kind, target, id: source, many }): readonly TransferredLink[] => {
      const id = context.numbers.get(idKey(target.collection, source));
      if (id === undefined) return []; // its target was deleted
      const position = (positions.get(field) ?? 0) + 1;
      positions.set(field, position);
      const held = { ...holder, field, position: many || kind === 'media' ? position : null };
      const other = { type: target.uid, id, field: null, position: null };
      if (kind === 'media') return [{ isMorph: true, left: { ...other, field: 'related' }, right: held }];
      return [{ isMorph: kind === 'morph', left: held, right: other }];
    },
  );
  return [...own, ...[...entry.parts.values()].flat().flatMap((part) => toLinks(part, context))];
}
