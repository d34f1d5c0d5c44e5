import { fieldErrors, notFoundError, validationError } from '#base/errors.js';
import { checkRight } from '#http/authorize.js';
import type { RouteCall } from '#http/route.js';
import { isSynced } from '#http/sync-option.js';
import { actionOf, allows } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import { findOwnRow, type RowSources } from '../rest/batch/batch-rows.js';
import { type NamedAttributes, namedAttributes } from './pushed-attributes.js';
import type { PushWrite } from './read-push.js';

/** A write that its caller may make, with the type and the attributes that it names. */
export interface AllowedWrite {
  readonly write: PushWrite;
  readonly type: ContentType;
  readonly named: NamedAttributes;
}

const methods = { create: 'POST', update: 'PUT', delete: 'DELETE' } as const;

const actions = ['find', 'findOne', 'create', 'update', 'delete'];

/**
 * Returns a write that its caller may make. Reads nothing that is stored, so that a refusal tells nothing of it. Throws the error of a
 * caller without the right, which is a 404 without any right on the type and for types that are not synced; and a ValidationError if
 * code of the project has a part in the single request, or if the write names attributes that the caller may not read and write, or a
 * locale of a type without locales.
 */
export function allowedWrite(write: PushWrite, { caller, running, content }: RouteCall, sources: RowSources): AllowedWrite {
  const { access } = caller;
  const type = content.bind.registry.byPluralName.get(write.type);
  const isShown = type !== undefined && isSynced(type) && actions.some((action) => allows(access, actionOf(type, action)));
  if (!isShown) throw notFoundError();
  const method = methods[write.op];
  const path = `/${type.pluralName}${write.op === 'create' ? '' : '/1'}`;
  const row = findOwnRow({ method, path }, { ...sources, running });
  if (row === null || row.type.uid !== type.uid)
    throw validationError(
      `${method} of ${type.pluralName} is answered or guarded by code of the project, so it cannot be pushed`,
    );
  for (const action of [row.row.action, ...(row.row.others ?? [])]) checkRight(caller, action);
  if (write.locale !== undefined && !type.localized)
    throw fieldErrors([{ path: ['locale'], message: `${type.pluralName} have no locales` }]);
  return { write, type, named: namedAttributes(type, write, content.bind.access) };
}
