import { buildRegistry } from '#model/schema/build-registry.js';
import type { Attribute, ContentType, LinkAttribute, Registry, ScalarType } from '#model/schema/content-type.js';
import type { TestModel } from '../../../support/serve.js';
import { Draw } from './draw.js';

export type Row = { readonly _id: number } & Readonly<Record<string, unknown>>;

/** Where a value stands: an attribute of an entry, or of a component inside it. */
export interface Place {
  readonly holder: string;
  readonly id: number;
  readonly type: string;
  readonly attribute: string;
  /** As it is stored. */
  readonly value: unknown;
}

/** Entries of all types with unique values. */
export interface World {
  readonly registry: Registry;
  /** The types that have entries. */
  readonly types: readonly ContentType[];
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  /** By the text of a value in an answer. */
  readonly places: ReadonlyMap<string, Place>;
}

export const userUid = 'plugin::users-permissions.user';
export const roleUid = 'plugin::users-permissions.role';
export const fileUid = 'plugin::upload.file';

/** Entries of each type but single ones. */
const many = 3;

const isHeld = ({ uid, kind }: ContentType): boolean =>
  kind !== 'component' && (uid.startsWith('api::') || uid === userUid || uid === fileUid);

export function buildWorld(models: readonly TestModel[]): World {
  const { registry } = buildRegistry(models);
  const types = [...registry.types.values()].filter(isHeld);
  const filling: Filling = { registry, types, places: new Map(), draw: new Draw(7), count: 0 };
  const rows = new Map(types.map((type) => [type.uid, rowsOf(type, filling)] as const));
  return { registry, types, rows, places: filling.places };
}

export const idsOf = ({ kind }: ContentType): number[] =>
  kind === 'singleType' ? [1] : Array.from({ length: many }, (_, index) => index + 1);

interface Filling {
  readonly registry: Registry;
  readonly types: readonly ContentType[];
  readonly places: Map<string, Place>;
  readonly draw: Draw;
  count: number;
}

interface Holder {
  readonly uid: string;
  readonly id: number;
}

const rowsOf = (type: ContentType, filling: Filling): Row[] =>
  idsOf(type).map((id) => ({
    _id: id,
    ...valuesOf(type, { uid: type.uid, id }, filling, 0),
    ...(type.localized && { locale: 'en' }),
    ...((type.localized || type.kind === 'singleType') && { _group: id }),
    ...(type.uid === userUid && { role: 1, blocked: false, confirmed: true }),
  }));

function valuesOf(type: ContentType, holder: Holder, filling: Filling, depth: number): Record<string, unknown> {
  const values = [...type.attributes.values()].map((attribute) => [
    attribute.name,
    valueOf(attribute, type, holder, { filling, depth }),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}

interface At {
  readonly filling: Filling;
  readonly depth: number;
}

function valueOf(attribute: Attribute, type: ContentType, holder: Holder, at: At): unknown {
  const { filling, depth } = at;
  const part = (uid: string): object | null => {
    const component = filling.registry.types.get(uid);
    if (component === undefined || depth > 3) return null;
    return { id: ++filling.count, ...valuesOf(component, holder, filling, depth + 1) };
  };
  switch (attribute.kind) {
    case 'scalar': {
      const value = scalars[attribute.type]?.(++filling.count) ?? null;
      if (value !== null)
        filling.places.set(textOf(value), {
          holder: holder.uid,
          id: holder.id,
          type: type.uid,
          attribute: attribute.name,
          value,
        });
      return value;
    }
    case 'relation':
    case 'media':
      return linked(attribute, holder.id, filling);
    case 'morph': {
      const links = filling.types.map(({ uid }) => ({ __type: uid, id: 1 + filling.draw.whole(many) }));
      return attribute.many ? links : (filling.draw.of(links) ?? null);
    }
    case 'component':
      return attribute.repeatable
        ? [part(attribute.component), part(attribute.component)].filter(Boolean)
        : part(attribute.component);
    case 'dynamiczone':
      return attribute.components.map((uid) => ({ __component: uid, ...part(uid) }));
  }
}

function linked({ storage, target, many: list, exclusive }: LinkAttribute, id: number, { types, draw }: Filling): unknown {
  const type = types.find(({ uid }) => uid === target);
  if (storage.kind !== 'own' || type === undefined) return undefined;
  const ids = idsOf(type);
  if (exclusive) return ids.includes(id) ? id : null;
  return list ? draw.some(ids, 0.7) : (draw.of(ids) ?? null);
}

/** Far from ids. */
const number = (count: number): number => 7_000_000 + count;
const text = (count: number): string => `<<${String(count)}>>`;

/** Values that an answer shows as they are; the others have too few of them to tell where one comes from. */
const scalars: Readonly<Partial<Record<ScalarType, (count: number) => unknown>>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  password: text,
  json: (count) => ({ inside: [text(count)] }),
  blocks: (count) => [{ type: 'paragraph', children: [{ type: 'text', text: text(count) }] }],
  integer: number,
  biginteger: number,
  float: number,
  decimal: number,
  datetime: (count) => new Date(1_600_000_000_000 + count * 1000),
  timestamp: (count) => new Date(1_600_000_000_000 + count * 1000),
};

/** How an answer shows a value, as far as it tells. */
export function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return /<<\d+>>/.exec(JSON.stringify(value))?.[0] ?? String(value);
}
