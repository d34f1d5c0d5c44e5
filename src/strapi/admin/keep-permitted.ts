import { type Attribute, type ContentType, type Registry, uploadFile } from '#model/schema/content-type.js';
import { hasParts, uidOfPart } from '#model/schema/parts.js';
import { isPlainObject, isRecord, type Values } from '#base/values.js';

/** An attribute that an entry or a query names. */
export interface Place {
  readonly name: string;
  readonly attribute: Attribute;
  readonly owner: ContentType;
  /** The path in the type where the entry or query begins. */
  readonly path: string;
}

/** Returns whether an attribute stays where it is named, or throws. */
export type Keep = (place: Place) => boolean;

/** Where a value begins. */
export interface Scope {
  readonly type: ContentType;
  readonly registry: Pick<Registry, 'types'>;
  readonly prefix: string;
  readonly keep: Keep;
}

/** Returns the attribute that a name stands for, and whether it stays. Names of no attribute stay. */
function stays(name: string, scope: Scope): { readonly attribute: Attribute | undefined; readonly isKept: boolean } {
  const attribute = scope.type.attributes.get(name);
  const isKept = attribute === undefined || scope.keep({ name, attribute, owner: scope.type, path: `${scope.prefix}${name}` });
  return { attribute, isKept };
}

/** Returns the scope of what an attribute leads to; null if that is no entry and no component. */
function inside(attribute: Attribute, scope: Scope, value: unknown = null): Scope | null {
  const part = isRecord(value) ? value : {};
  const uid = hasParts(attribute) ? uidOfPart(attribute, part) : targetOf(attribute, part);
  const type = uid === null ? undefined : scope.registry.types.get(uid);
  return type === undefined ? null : { ...scope, type, prefix: `${scope.prefix}${attribute.name}.` };
}

function targetOf(attribute: Attribute, value: Values): string | null {
  if (attribute.kind === 'media') return uploadFile;
  if (attribute.kind === 'morph') return String(value['__type']);
  return attribute.kind === 'relation' ? attribute.target : null;
}

/** Returns the values of an entry, and of what it contains, that stay. */
export function keepValues(entry: Values, scope: Scope): Values {
  const kept = Object.entries(entry).flatMap(([name, value]) => {
    const { attribute, isKept } = stays(name, scope);
    if (!isKept) return [];
    return [[name, attribute === undefined ? value : eachRecord(value, attribute, scope)] as const];
  });
  return Object.fromEntries(kept);
}

function eachRecord(value: unknown, attribute: Attribute, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => eachRecord(item, attribute, scope));
  const inner = isPlainObject(value) ? inside(attribute, scope, value) : null;
  return inner === null ? value : keepValues(value as Values, inner); // an object, or there is nothing inside
}

/** Returns the conditions of filters that stay. Objects without conditions are left out. */
function keepFilters(filters: unknown, scope: Scope): unknown {
  if (Array.isArray(filters)) return filters.map((one: unknown) => keepFilters(one, scope));
  if (!isPlainObject(filters)) return filters;
  const kept = Object.entries(filters).flatMap(([name, operand]) => {
    const { attribute, isKept } = name.startsWith('$') ? { attribute: undefined, isKept: true } : stays(name, scope);
    if (!isKept) return [];
    const inner = attribute === undefined ? scope : inside(attribute, scope);
    const value = inner === null ? operand : keepFilters(operand, inner);
    return isPlainObject(value) && Object.keys(value).length === 0 ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}

/** Returns whether all attributes of a path stay, such as `author.name`. */
function isPathKept(path: string, scope: Scope): boolean {
  const [name = '', ...rest] = path.split('.');
  const { attribute, isKept } = stays(name, scope);
  const inner = attribute === undefined ? null : inside(attribute, scope);
  return isKept && (rest.length === 0 || inner === null || isPathKept(rest.join('.'), inner));
}

const namesIn = (text: string): readonly string[] => text.split(',').map((part) => part.trim());

/** Returns the parts of a sort that stay, in the form in which it was. */
function keepSort(sort: unknown, scope: Scope): unknown {
  if (typeof sort === 'string') return namesIn(sort).filter((one) => isPathKept(one.replace(/:.*$/, ''), scope)).join(','); // prettier-ignore
  if (Array.isArray(sort)) return sort.map((one: unknown) => keepSort(one, scope)).filter((one) => one !== '');
  return keepFilters(sort, scope);
}

/** Returns the fields that stay. `*` stays, because it asks for what there is. */
function keepFields(fields: unknown, scope: Scope): unknown {
  const kept = [fields].flat().flatMap((one: unknown) => (typeof one === 'string' ? namesIn(one) : []));
  return kept.filter((name) => name === '*' || isPathKept(name, scope));
}

/** Returns the relations of `populate` that stay, with the queries on them. */
function keepPopulate(populate: unknown, scope: Scope): unknown {
  if (populate === '*' || populate === true) return keepPopulate(everyRelation(scope.type), scope);
  if (typeof populate === 'string') return namesIn(populate).filter((path) => isPathKept(path, scope)).join(','); // prettier-ignore
  if (Array.isArray(populate)) return populate.map((one: unknown) => keepPopulate(one, scope)).filter((one) => one !== '');
  if (!isPlainObject(populate)) return populate;
  const kept = Object.entries(populate).flatMap(([name, query]) => {
    const { attribute, isKept } = stays(name, scope);
    if (!isKept) return [];
    const inner = attribute === undefined ? null : inside(attribute, scope);
    return [[name, inner === null || !isPlainObject(query) ? query : keepQuery(query, inner)] as const];
  });
  return Object.fromEntries(kept);
}

const everyRelation = ({ attributes }: ContentType): Values =>
  Object.fromEntries([...attributes.values()].filter(({ kind }) => kind !== 'scalar').map(({ name }) => [name, true]));

const parts = { filters: keepFilters, sort: keepSort, fields: keepFields, populate: keepPopulate };

/** Returns a query with the parts of it that stay. */
export function keepQuery(query: Values, scope: Scope): Values {
  const kept = Object.entries(parts).flatMap(([name, keep]) => {
    const given = query[name];
    return given === undefined || given === null || given === '' ? [] : [[name, keep(given, scope)] as const];
  });
  return { ...query, ...Object.fromEntries(kept) };
}
