import type { ContentContext } from '../content/content-context.js';
import { refuseOrTell } from '../content/refuse-or-tell.js';
import { missingActions, validationError } from '../errors.js';
import { allows, actionOf } from '../query/access.js';
import type { ContentType } from '../schema/content-type.js';
import { decodeId } from '../values.js';
import { ownersOf } from './find-component.js';
import type { LinkTarget } from './link-files.js';
import { missingNames } from './unlinked.js';
import type { MediaContext } from './upload-files.js';

/** The parameters that name the attribute of an entry or component to link files to. All three must be given. */
interface TargetNames {
  readonly ref: unknown;
  readonly refId: unknown;
  readonly field: unknown;
}

/**
 * Returns the entry or component to link new files to; null if the parameters do not name one. Throws a ValidationError if the
 * type is unknown, a ForbiddenError if the caller may not update its entries.
 */
export function findTarget({ ref, refId, field }: TargetNames, { content, media }: MediaContext): LinkTarget | null {
  const names = { ref: isNamed(ref), refId: isNamed(refId), field: isNamed(field) };
  if (Object.values(names).includes(false)) {
    refuseOrTell(missingNames(names), content);
    return null;
  }
  const type = content.bind.registry.types.get(String(ref));
  if (type === undefined) throw validationError('Invalid parameter ref');
  const missing = media.settings.requireUpdate ? missingUpdates(type, content) : [];
  if (missing.length > 0) throw missingActions(missing);
  return { type, id: decodeId(refId), field: String(field) };
}

const isNamed = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number';

/**
 * Returns the actions that the caller lacks to update entries of the type or, for a component, of all types that may contain it.
 */
function missingUpdates(type: ContentType, { bind }: ContentContext): readonly string[] {
  const owners = type.kind === 'component' ? ownersOf(type, bind.registry) : [type];
  return owners.map((owner) => actionOf(owner, 'update')).filter((action) => !allows(bind.access, action));
}
