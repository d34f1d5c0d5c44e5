import { isDeepStrictEqual } from 'node:util';
import { draftBeside } from '#content/draft-beside.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { restoreVersion } from '#api/history/restore-version.js';
import type { Version } from '#api/history/version-store.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { writeUnchanged } from '../content-manager/conflicts.js';
import { callOnEntry, callOnShownEntry, findEntry, mayOnEntry } from '../content-manager/entry-rights.js';
import { permittedValues } from '../content-manager/show-entry.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor } from '../rights/content-access.js';
import { fieldPaths } from '../rights/field-paths.js';
import { permissionsFor } from '../rights/rights.js';
import type { AdminCall } from './admin-call.js';

/** Throws a NotFoundError if there is no such entry, and a ForbiddenError unless the administrator may read it. */
export const checkReadable = async (key: EntryKey, call: PanelCall): Promise<void> => {
  await findEntry(key, { call, action: 'read' });
};

/** Returns the values of an entry, such as those of a version, that an administrator may see. */
export const visibleValues = async (values: Values, key: EntryKey, call: PanelCall): Promise<Values> =>
  permittedValues(values, key.type, await callOnEntry(key, { call, action: 'read' }));

/** Returns the values of the draft beside an entry that an administrator may see; null if their permissions hide it. */
export async function visibleDraft(values: Values, key: EntryKey, call: PanelCall): Promise<Values | null> {
  const { type } = key;
  const own = contentFor(call, 'read', type);
  if (!(await draftBeside.isShown(key, own))) return null;
  return permittedValues(values, type, await callOnShownEntry(key, call));
}

interface Restoring extends Pick<AdminCall, 'commit'> {
  readonly version: Version;
  /** The entry as it is in its newest version. */
  readonly present: Values;
}

/**
 * Updates an entry to a version, as far as an administrator may: attributes that they may not write, or only parts of, stay as they are,
 * and so does the publication state unless they may publish. Those that differ and that they may see are named too. Throws an ApplicationError if the body
 * says another time of the last update than that of the entry.
 */
export async function restoreAs(
  type: ContentType,
  call: PanelCall,
  { commit, version, present }: Restoring,
): ReturnType<typeof restoreVersion> {
  const key = { type, id: Number(version.entry['id']) };
  const own = await callOnEntry(key, { call, action: 'update' });
  await findEntry(key, { call: own, action: 'update' });
  const mayPublish = await mayOnEntry(key, { call, action: 'publish' });
  const refused = new Set<string>();
  const permits = (name: string): boolean => {
    const isPermitted = name === 'publishedAt' ? mayPublish : isWritable(type, name, own);
    if (!isPermitted && !isSame(version.entry[name], present[name])) refused.add(name);
    return isPermitted;
  };
  return writeUnchanged(key, own, async ({ expected }) => {
    const leftOut = await restoreVersion(type, version, {
      ...(expected && { expected }),
      permits,
      commit: (change) => commit((content) => change(contentFor({ ...own, content }, 'update', type))),
    });
    const shown = await visibleValues(version.entry, key, call);
    return [...leftOut, ...refused].filter((path) => Object.hasOwn(shown, path.split(/[.[]/)[0] ?? path));
  });
}

/** Returns whether an administrator may write an attribute with all that is in it. */
function isWritable(type: ContentType, name: string, { rights, content }: PanelCall): boolean {
  const inside = fieldPaths(type, content.bind.registry).filter((path) => isWithin(path, name));
  if (rights.isSuper) return inside.length > 0;
  const named = permissionsFor(rights, `${explorer}.update`, type.uid).flatMap(({ properties }) => properties.fields ?? []);
  return inside.length > 0 && inside.every((path) => named.some((one) => isWithin(path, one)));
}

const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`);

/** Returns a value without the ids of components, which each write may change. Links are ids alone, perhaps with their type. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isRecord(value) || Object.keys(value).every((name) => name === 'id' || name === '__type')) return value;
  return mapValues(value, (inner, name) => (name === 'id' ? null : withoutIds(inner)));
}

const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(withoutIds(one ?? null), withoutIds(other ?? null));
