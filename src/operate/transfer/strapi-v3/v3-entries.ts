import { idKey } from '../../raw/foreign-database.js';
import { isRecord, type Values } from '#base/values.js';
import { administratorUid } from '../panel-records.js';
import type { PlacedRecord, Stage } from '../source.js';
import { ownAttributes, relationOf, shapeOfV3, stampNames, type V3Model } from './v3-models.js';
import { adaptDocument } from './v3-plugins.js';

/** A document, and its components by attribute. */
export interface V3Entry {
  readonly model: V3Model;
  readonly document: Values;
  readonly parts: ReadonlyMap<string, readonly V3Entry[]>;
}

/** The models of a database, and the numbers of documents by key. */
interface V3Context {
  readonly models: readonly V3Model[];
  readonly numbers: ReadonlyMap<string, number>;
}

const keyOf = ({ model, document }: V3Entry): string => idKey(model.collection, String(document['_id']));

/** A reference from a document to another one. */
interface Reference {
  readonly field: string;
  readonly kind: 'media' | 'link' | 'morph';
  readonly target: V3Model;
  readonly id: string;
  readonly many: boolean;
}

/** Returns the references that a document itself stores, in order, without those of its components. */
function referencesOf({ model, document }: V3Entry, models: readonly V3Model[]): readonly Reference[] {
  const own = ownAttributes(model).flatMap(([field]) => {
    const relation = relationOf(model, field, models);
    if (relation === null || !relation.storesIds) return [];
    const values = [document[field]].flat();
    const many = Array.isArray(document[field]);
    return values.flatMap((value): readonly Reference[] => {
      const target = relation.target ?? modelOfKind(value, models);
      const id = relation.kind === 'morph' && isRecord(value) ? value['ref'] : value;
      return target === null || typeof id !== 'string' ? [] : [{ field, kind: relation.kind, target, id, many }];
    });
  });
  const { kind, localized } = shapeOfV3(model);
  if (kind === 'component') return own;
  const others = localized ? [document['localizations'] ?? []].flat() : [];
  const locales = others.filter((id): id is string => typeof id === 'string');
  return [
    ...own,
    ...locales.map((id) => ({ field: 'localizations', kind: 'link' as const, target: model, id, many: true })),
    ...creatorsOf(document, models),
  ];
}

const creators = { created_by: 'createdBy', updated_by: 'updatedBy' } as const;

function creatorsOf(document: Values, models: readonly V3Model[]): readonly Reference[] {
  const target = models.find(({ uid }) => uid === administratorUid);
  return Object.entries(creators).flatMap(([name, field]) => {
    const id = document[name];
    return target === undefined || typeof id !== 'string' ? [] : [{ field, kind: 'link', target, id, many: false } as const];
  });
}

/**
 * Returns the model that a polymorphic link names by its `globalId`, such as `Article` or `ComponentSharedSeo`; null if there is
 * none.
 */
export function modelOfKind(value: unknown, models: readonly V3Model[]): V3Model | null {
  const kind = isRecord(value) ? spelling(String(value['kind'])) : '';
  const names = ({ uid, name, plugin, definition }: V3Model): readonly string[] => [
    spelling(String(definition['globalId'] ?? '')),
    spelling(uid.includes('::') ? `${plugin ?? ''}${name}` : `component_${uid}`),
  ];
  return kind === '' ? null : (models.find((model) => names(model).includes(kind)) ?? null);
}

const spelling = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Returns the keys of an entry and of all documents that it refers to. */
export function keysIn(entry: V3Entry, models: readonly V3Model[]): readonly string[] {
  const references = referencesOf(entry, models).map(({ target, id }) => idKey(target.collection, id));
  return [keyOf(entry), ...references, ...[...entry.parts.values()].flat().flatMap((part) => keysIn(part, models))];
}

/** Returns the records of an entry. Documents that were created after the numbering are reported instead. */
export function* recordsOf(entry: V3Entry, context: V3Context, stages: ReadonlySet<Stage>): Generator<PlacedRecord> {
  const id = context.numbers.get(keyOf(entry));
  if (id === undefined) {
    if (stages.has('entities')) yield unreadable('entities', 'a document was created after the import began', keyOf(entry));
    return;
  }
  const { entry: known, late } = withoutLate(entry, context.numbers);
  if (stages.has('entities')) {
    yield* adaptDocument({ type: entry.model.uid, id, data: dataOf(known, context) }, entry.document, context.models);
    yield* late.map((key) => unreadable('entities', 'a component was created after the import began', key));
  }
  if (stages.has('links')) yield* linksOf(known, context);
}

const unreadable = (of: Stage, reason: string, where: string): PlacedRecord => ({ stage: 'unreadable', of, reason, where });

interface NumberedEntry {
  /** The entry with only the components that have numbers. */
  readonly entry: V3Entry;
  /** Keys of the other components. */
  readonly late: readonly string[];
}

function withoutLate(entry: V3Entry, numbers: V3Context['numbers']): NumberedEntry {
  const late: string[] = [];
  const parts = [...entry.parts].map(([name, list]) => {
    const entries = list.flatMap((part) => {
      const inner = numbers.has(keyOf(part)) ? withoutLate(part, numbers) : null;
      late.push(...(inner?.late ?? [keyOf(part)]));
      return inner === null ? [] : [inner.entry];
    });
    return [name, entries] as const;
  });
  return { entry: { ...entry, parts: new Map(parts) }, late };
}

const numberOf = (entry: V3Entry, { numbers }: V3Context): number => {
  const number = numbers.get(keyOf(entry));
  if (number === undefined) throw new Error(`${keyOf(entry)} has no number`);
  return number;
};

function dataOf({ model, document, parts }: V3Entry, context: V3Context): Values {
  const values = ownAttributes(model).flatMap(([name, { type, repeatable }]) => {
    if (typeof type !== 'string') return [];
    const own = parts.get(name);
    if (own === undefined) return [[name, document[name] ?? null] as const];
    const list = own.map((part) => ({
      ...(type === 'dynamiczone' && { __component: part.model.uid }),
      id: numberOf(part, context),
      ...dataOf(part, context),
    }));
    return [[name, type === 'dynamiczone' || repeatable === true ? list : (list[0] ?? null)] as const];
  });
  return { ...Object.fromEntries(values), ...addedValues(model, document) };
}

/** Returns the values of the attributes that are added to the type of a document. */
function addedValues(model: V3Model, document: Values): Values {
  const { kind, draftAndPublish, localized } = shapeOfV3(model);
  if (kind === 'component') return {};
  const [created, updated] = stampNames(model);
  return {
    createdAt: document[created] ?? null,
    updatedAt: document[updated] ?? null,
    ...(draftAndPublish && { publishedAt: document['published_at'] ?? null }),
    ...(localized && { locale: document['locale'] ?? null }),
  };
}

/** Returns the links that an entry and its components store. */
function* linksOf(entry: V3Entry, context: V3Context): Generator<PlacedRecord> {
  const holder = { type: entry.model.uid, id: numberOf(entry, context) };
  const positions = new Map<string, number>();
  for (const { field, kind, target, id: source, many } of referencesOf(entry, context.models)) {
    const id = context.numbers.get(idKey(target.collection, source));
    if (id === undefined) {
      yield unreadable('links', 'a link leads to a document that does not exist', `${keyOf(entry)} ${field}`);
      continue;
    }
    const position = (positions.get(field) ?? 0) + 1;
    positions.set(field, position);
    const held = { ...holder, field, position: many || kind === 'media' ? position : null };
    const other = { type: target.uid, id, field: null, position: null };
    if (kind === 'media') yield { stage: 'links', isMorph: true, left: { ...other, field: 'related' }, right: held };
    else yield { stage: 'links', isMorph: kind === 'morph', left: held, right: other };
  }
  for (const part of [...entry.parts.values()].flat()) yield* linksOf(part, context);
}
