import type { EntryKey } from '#content/meet-precondition.js';
import type { Stage } from '#api/workflow/workflow-option.js';
import { forbiddenError } from '#base/errors.js';
import { findEntry, mayOnEntry } from '../content-manager/entry-rights.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { may } from '../rights/rights.js';

/** Throws a ForbiddenError unless an administrator may read entries of a type. */
export function checkReader(uid: string, { rights }: PanelCall): void {
  if (!may(rights, `${explorer}.read`, uid)) throw forbiddenError();
}

/**
 * Returns whether an administrator may move an entry into a stage and out of it: those of its roles, and super admins; if it names no roles,
 * those who may update the entry. Throws a NotFoundError if there is no such entry, and a ForbiddenError unless they may read it.
 */
export async function stageRights(key: EntryKey, call: PanelCall): Promise<(stage: Stage) => boolean> {
  const { isSuper, administrator } = call.rights;
  await findEntry(key, { call, action: 'read' });
  const mayUpdate = isSuper || (await mayOnEntry(key, { call, action: 'update' }));
  const own = new Set(administrator.roles.flatMap(({ name, code }) => [name, code]));
  return ({ roles }) => isSuper || (roles.length === 0 ? mayUpdate : roles.some((role) => own.has(role)));
}
