import type { FieldError } from '#base/errors.js';
import { isSettable } from './added-attributes.js';
import type { Attribute, ComponentAttribute, ContentType, LinkAttribute, MorphAttribute, ZoneAttribute } from './content-type.js';
import { isRecord, type Values } from '#base/values.js';
import {
  type Findings,
  type InputContext,
  type LinkedFiles,
  mustNotBeNull,
  notOfType,
  report,
  reportRelations,
  addTarget,
} from './findings.js';
import { findOtherType, maximumLinks, morphTarget, parseLinkInput, parseMorphInput, comingIn, lengthOf } from './link-input.js';
import { listsParts, type PartsAttribute } from './parts.js';
import { partProblems, scalarProblems } from './scalar-types.js';

/** The result of a check: the problems of a body, and the ids that must exist with their paths, by uid of their type. */
export interface CheckedInput {
  readonly errors: readonly FieldError[];
  /** The problem of the form of a relation, or none. */
  readonly relations: readonly FieldError[];
  readonly targets: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Files of attributes that allow only some types. */
  readonly files: readonly LinkedFiles[];
}

/** Maximum of components in one list of an entry. */
const maximumParts = 10_000;

/** Checks the data of a client for an entry: types, rules, components, and the forms of relations. */
export function checkInput(type: ContentType, data: Values, context: InputContext): CheckedInput {
  const findings: Findings = { fields: [], relations: [], targets: new Map(), files: [], context, isFull: false };
  checkValues(type, data, '', findings);
  return { errors: findings.fields, relations: findings.relations.slice(0, 1), targets: findings.targets, files: findings.files };
}

function checkValues(type: ContentType, values: Values, prefix: string, findings: Findings): void {
  for (const attribute of type.attributes.values()) {
    if (!isSettable(attribute)) continue;
    const path = `${prefix}${attribute.name}`;
    const value = Object.hasOwn(values, attribute.name) ? values[attribute.name] : undefined;
    if (value === undefined) checkAbsent(attribute, path, findings);
    else checkValue(attribute, value, path, findings);
  }
}

function checkAbsent(attribute: Attribute, path: string, findings: Findings): void {
  const { mode, draft, presetNames } = findings.context;
  if (!attribute.required || mode === 'update' || attribute.kind === 'media' || presetNames?.has(path) === true) return;
  if (attribute.kind === 'scalar' && attribute.default !== undefined) return;
  if (!draft || listsParts(attribute)) report(findings, path, `${path} must be defined.`);
}

function checkValue(attribute: Attribute, value: unknown, path: string, findings: Findings): void {
  if (findings.isFull) return;
  switch (attribute.kind) {
    case 'scalar':
      for (const message of scalarProblems(value, attribute, path, findings.context)) report(findings, path, message);
      for (const problem of partProblems(value, attribute, path)) report(findings, problem.path, problem.message);
      return;
    case 'relation':
    case 'media':
      checkLink(attribute, value, path, findings);
      return;
    case 'morph':
      checkMorph(attribute, value, path, findings);
      return;
    case 'component':
      checkComponent(attribute, value, path, findings);
      return;
    case 'dynamiczone':
      checkZone(attribute, value, path, findings);
  }
}

function checkComponent(attribute: ComponentAttribute, value: unknown, path: string, findings: Findings): void {
  const type = findings.context.registry.types.get(attribute.component);
  if (type === undefined) return;
  if (attribute.repeatable) {
    const items = itemsOf(value ?? [], path, findings);
    if (items === null) return;
    for (const [index, item] of items.entries()) checkItem(type, item, `${path}[${String(index)}]`, findings);
    checkCount(attribute, items.length, path, findings);
  } else if (value === null) {
    if (attribute.required && !findings.context.draft) report(findings, path, notOfType(path, 'object', null));
  } else if (isRecord(value)) checkValues(type, value, `${path}.`, findings);
  else report(findings, path, notOfType(path, 'object', value));
}

/** Returns the items of a list of components; null if it is not a list, or too long to check. */
function itemsOf(value: unknown, path: string, findings: Findings): readonly unknown[] | null {
  if (Array.isArray(value) && value.length <= maximumParts) return value;
  const most = `${path} takes at most ${String(maximumParts)} components`;
  report(findings, path, Array.isArray(value) ? most : notOfType(path, 'array', value));
  return null;
}

/** Checks the number of items. Called after the check of the items, which is the order of errors in Strapi v4. */
function checkCount({ required, min, max }: PartsAttribute, count: number, path: string, findings: Findings): void {
  if (min !== null && count < min && (required || count > 0))
    report(findings, path, `${path} field must have at least ${String(min)} items`);
  if (max !== null && count > max) report(findings, path, `${path} field must have less than or equal to ${String(max)} items`);
}

function checkItem(type: ContentType, item: unknown, path: string, findings: Findings): void {
  if (isRecord(item)) checkValues(type, item, `${path}.`, findings);
  else report(findings, path, notOfType(path, 'object', null, item));
}

function checkZone(attribute: ZoneAttribute, value: unknown, path: string, findings: Findings): void {
  if (value !== null && !Array.isArray(value)) reportUnknownComponent(value, path, findings);
  const items = itemsOf(value ?? [], path, findings);
  if (items === null) return;
  for (const [index, item] of items.entries()) {
    if (findings.isFull) return;
    checkZoneItem(item, `${path}[${String(index)}]`, findings);
  }
  checkCount(attribute, items.length, path, findings);
}

function checkZoneItem(item: unknown, path: string, findings: Findings): void {
  const type = componentOf(item, findings.context);
  if (type !== null && isRecord(item)) {
    checkValues(type, item, `${path}.`, findings);
    return;
  }
  const place = `${path}.__component`;
  if (!isRecord(item)) {
    report(findings, path, notOfType(path, 'object', null, item));
    reportRelations(findings, path, 'Invalid relations');
    return;
  }
  const uids = [...findings.context.registry.types.values()].filter(({ kind }) => kind === 'component').map(({ uid }) => uid);
  const isNamed = item['__component'] !== undefined && item['__component'] !== null;
  report(
    findings,
    place,
    isNamed ? `${place} must be one of the following values: ${uids.join(', ')}` : `${place} is a required field`,
  );
  reportUnknownComponent(item, path, findings);
}

function componentOf(item: unknown, { registry }: InputContext): ContentType | null {
  const uid = isRecord(item) ? item['__component'] : undefined;
  const type = typeof uid === 'string' ? registry.types.get(uid) : undefined;
  return type?.kind === 'component' ? type : null;
}

/** Reports an error of relations for a value that names no component or an unknown one, as Strapi v4 does. */
function reportUnknownComponent(value: unknown, path: string, findings: Findings): void {
  if (componentOf(value, findings.context) !== null) return;
  const isNamed = isRecord(value) && Boolean(value['__component']);
  reportRelations(
    findings,
    path,
    isNamed ? 'Invalid relations' : 'Cannot build relations store from dynamiczone, component identifier is undefined',
  );
}

/** Checks the form of links; whether the linked entries exist is checked later. */
function checkLink(link: LinkAttribute, value: unknown, path: string, findings: Findings): void {
  if (value === null && link.required && link.kind === 'relation' && !findings.context.draft)
    report(findings, path, mustNotBeNull(path, findings.context.mode));
  const input = parseLinkInput(value, link.target);
  if (input === null) {
    const other = findOtherType(value, link.target);
    if (other === null) reportRelations(findings, path, 'Invalid relations');
    else report(findings, `${path}${other}`, `${path}${other} must be ${link.target}`);
    return;
  }
  const ids = comingIn(input);
  if (!checkLength(lengthOf(input), path, findings)) return;
  for (const id of ids) addTarget(findings, { uid: link.target, id, path });
  if (link.kind === 'media') checkFiles(link, ids, path, findings);
}

/** Reports an error and returns false if a relation names more entries than one write may. */
function checkLength(length: number, path: string, findings: Findings): boolean {
  if (length <= maximumLinks) return true;
  report(findings, path, `${path} takes at most ${String(maximumLinks)} related entries in one write`);
  return false;
}

function checkFiles({ many, allowedTypes }: LinkAttribute, ids: readonly number[], path: string, findings: Findings): void {
  if (findings.context.strict && !many && ids.length > 1) report(findings, path, `${path} takes one file`);
  if (allowedTypes.length > 0 && ids.length > 0) findings.files.push({ path, ids, allowedTypes });
}

/** Checks the targets of a polymorphic relation, which name their type in `__type` or `type`. */
function checkMorph({ targets }: MorphAttribute, value: unknown, path: string, findings: Findings): void {
  const input = parseMorphInput(value);
  if (input === null) {
    reportRelations(findings, path, 'Invalid relations');
    return;
  }
  if (!checkLength(lengthOf(input), path, findings)) return;
  for (const { uid, id } of comingIn(input).map(morphTarget)) {
    const type = findings.context.registry.types.get(uid);
    if (type !== undefined && type.kind !== 'component' && (targets?.includes(uid) ?? true))
      addTarget(findings, { uid, id, path });
    else reportRelations(findings, path, 'Invalid relations');
  }
}
