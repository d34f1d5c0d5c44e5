import { isDeepStrictEqual } from 'node:util';
import type { ModelDocument } from '#model/schema/model.js';
import { isRecord, recordIn, type Values } from '#base/values.js';

/** A content type or component in the form of Strapi v4, before and after code has changed it, as plain values. */
export interface ModelChange {
  readonly before: Values;
  readonly after: Values;
  /** The names of the attributes that the service adds to the type. */
  readonly added: ReadonlySet<string>;
}

/** What only describes a model, and is not part of its document. */
const described: ReadonlySet<string> = new Set([
  ...['uid', 'modelType', 'modelName', 'connection', 'globalId', 'apiName', 'plugin', 'category', 'singularName', 'tableName'],
  ...['__schema__', '__filename__', 'actions', 'lifecycles'],
]);

/** Parts of a model whose keys are changed one by one. */
const parts: ReadonlySet<string> = new Set(['info', 'options', 'pluginOptions', 'attributes']);

/** Returns a document with what code has changed. Keys that code has left alone stay as the document has them. */
export function withChange<Document extends ModelDocument>(document: Document, { before, after, added }: ModelChange): Document {
  const isOwn = (name: string): boolean => !described.has(name) && !parts.has(name);
  const own = { ...document, ...differences(document, { before, after }, isOwn) };
  const changed = [...parts].flatMap((part) => {
    const [former, next] = [recordIn(before, part), recordIn(after, part)];
    if (isDeepStrictEqual(former, next)) return [];
    const isMeant = (name: string): boolean => part !== 'attributes' || !added.has(name);
    return [[part, differences(recordIn({ ...own }, part), { before: former, after: next }, isMeant)] as const];
  });
  return hidden({ ...own, ...Object.fromEntries(changed) }, { before, after, added });
}

/** Returns values with the changed keys of `after`, and without those that it lacks. */
function differences(
  values: object,
  { before, after }: Pick<ModelChange, 'before' | 'after'>,
  isMeant: (name: string) => boolean,
): Values {
  const result: Record<string, unknown> = { ...values };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (!isMeant(name) || isDeepStrictEqual(before[name], after[name])) continue;
    else if (name in after) result[name] = after[name];
    else Reflect.deleteProperty(result, name);
  return result;
}

/** Returns the document with the option that hides the attributes of the service which code has made private. */
function hidden<Document extends ModelDocument>(document: Document, change: ModelChange): Document {
  const names = [...change.added].filter((name) => isHidden(name, change));
  if (names.length === 0) return document;
  const options = isRecord(document.options) ? document.options : {};
  const listed = Array.isArray(options['privateAttributes']) ? (options['privateAttributes'] as readonly unknown[]) : [];
  return { ...document, options: { ...options, privateAttributes: [...new Set([...listed, ...names])] } };
}

const attributeOf = (model: Values, name: string): unknown => recordIn(model, 'attributes')[name];

const isHidden = (name: string, { before, after }: ModelChange): boolean =>
  recordIn(recordIn(after, 'attributes'), name)['private'] === true &&
  recordIn(recordIn(before, 'attributes'), name)['private'] !== true;

/** Returns the attributes of the service that code has changed in another way, which has no effect. */
export const keptAttributes = (change: ModelChange): readonly string[] =>
  [...change.added].filter((name) => {
    const [before, after] = [attributeOf(change.before, name), attributeOf(change.after, name)];
    return !isDeepStrictEqual(withoutPrivate(before), withoutPrivate(after)) || isShown(before, after);
  });

const withoutPrivate = (attribute: unknown): unknown =>
  isRecord(attribute) ? Object.fromEntries(Object.entries(attribute).filter(([key]) => key !== 'private')) : attribute;

const isShown = (before: unknown, after: unknown): boolean =>
  isRecord(before) && isRecord(after) && before['private'] === true && after['private'] !== true;
