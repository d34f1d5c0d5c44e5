import { isRecord, type Values } from '#base/values.js';
import { allOf, anyOf, meetsValues, oneOf } from '#model/query/filter-values.js';
import type { PanelPermission } from './permission.js';

/** The key under which the package of Strapi v4 notes the type of an entry. */
const typeKey = '__caslSubjectType__';

/** Notes the type of an entry, so that an ability knows it. Returns the entry. */
export const asSubject = <Entry extends object>(uid: string, entry: Entry): Entry =>
  Object.hasOwn(entry, typeKey) ? entry : (Object.defineProperty(entry, typeKey, { value: uid, configurable: true }) as Entry); // the same

/** The uid of a content type, or an entry whose type is noted. */
export type Subject = string | object | null | undefined;

/** `ctx.state.userAbility`: what an administrator may do. */
export class Ability {
  readonly #permissions: readonly PanelPermission[];
  readonly #filtersOf: (condition: string) => boolean | Values;

  /** `filtersOf` returns the filters of a condition, or whether all entries meet it. */
  constructor(permissions: readonly PanelPermission[], filtersOf: (condition: string) => boolean | Values) {
    this.#permissions = permissions;
    this.#filtersOf = filtersOf;
  }

  /**
   * Returns whether an action is allowed: on a type, perhaps only on some of its entries; on an entry, or on one field. Actions
   * without a subject are allowed on every one.
   */
  readonly can = (action: string, subject?: Subject, field?: string): boolean =>
    this.permissionsFor(action, subject).some(({ properties: { fields } }) => field === undefined || isNamed(field, fields));

  readonly cannot = (action: string, subject?: Subject, field?: string): boolean => !this.can(action, subject, field);

  /** Returns the permissions that allow an action. */
  permissionsFor(action: string, subject: Subject): readonly PanelPermission[] {
    const uid = isRecord(subject) ? subject[typeKey] : (subject ?? null);
    return this.#permissions.filter(
      (permission) =>
        permission.action === action &&
        (permission.subject === null || permission.subject === uid) &&
        permission.properties.fields?.length !== 0 &&
        (!isRecord(subject) || this.#holdsFor(permission, subject)),
    );
  }

  /** Returns the filters that entries meet for which an action is allowed; null if no permission allows it. */
  filtersFor(action: string, uid: string): Values | null {
    const permissions = this.permissionsFor(action, uid);
    const filters = permissions.map((permission) => this.#filtersOfPermission(permission));
    if (filters.length === 0) return null;
    return filters.some((one) => Object.keys(one).length === 0) ? {} : anyOf(filters);
  }

  #filtersOfPermission({ properties: { locales }, conditions }: PanelPermission): Values {
    const met = conditions.map((name) => this.#filtersOf(name));
    const isMet = conditions.length === 0 || met.includes(true);
    const parts = [
      ...(locales === undefined ? [] : [{ locale: oneOf(locales) }]),
      ...(isMet ? [] : [anyOf(met.filter((one) => typeof one !== 'boolean'))]),
    ];
    return parts.length === 0 ? {} : allOf(parts);
  }

  /** Returns whether the locales and one of the conditions of a permission are met by an entry. */
  #holdsFor({ properties: { locales }, conditions }: PanelPermission, entry: Readonly<Record<string, unknown>>): boolean {
    if (locales?.includes(String(entry['locale'])) === false) return false;
    return conditions.length === 0 || conditions.some((name) => this.#meets(name, entry));
  }

  #meets(condition: string, entry: Values): boolean {
    const filters = this.#filtersOf(condition);
    return typeof filters === 'boolean' ? filters : meetsValues(entry, filters);
  }
}

const isNamed = (field: string, fields: readonly string[] | undefined): boolean =>
  fields === undefined || fields.some((name) => field === name || field.startsWith(`${name}.`));
