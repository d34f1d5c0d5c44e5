import type { ContentContext } from '#content/content-context.js';
import { type FieldError, fieldErrors } from '#base/errors.js';
import { array, mixed, object, string } from '../check-body.js';
import { type Actions, ownActions, subjectsOf } from './actions.js';
import { type PanelPermission, propertiesOf } from './permission.js';

/** A permission to store. */
export type PermissionInput = Pick<PanelPermission, 'action' | 'subject' | 'properties' | 'conditions'>;

/** Most names in a list of a permission. Types have at most a few hundred attributes, also inside components. */
const mostNames = 2_000;
/** Characters of the longest name. */
const longestName = 1_000;

const name = () => string().max(longestName);

/** A list of names. One test for all takes a hundredth of the time of a schema of each. */
const names = () =>
  array()
    .max(mostNames)
    .test('names', `\${path} must be a list of texts of at most ${String(longestName)} characters`, (given) =>
      (given ?? []).every((one: unknown) => typeof one === 'string' && one.length <= longestName),
    )
    .nullable();

/** The body that replaces the permissions of a role. Unknown properties are refused by `checkPermissions`. */
export const permissionsBody = object({
  permissions: array()
    .of(
      object({
        action: name().required(),
        actionParameters: mixed().nullable(),
        subject: name().nullable(),
        properties: object({ fields: names(), locales: names() }).nullable(),
        conditions: names(),
      }).noUnknown(),
    )
    .required(),
}).noUnknown();

interface GivenPermission {
  readonly action: string;
  readonly subject?: string | null | undefined;
  readonly properties?: object | null | undefined;
  readonly conditions?: readonly string[] | null | undefined;
}

/** Returns the permissions in the form that is stored. Throws a ValidationError with all problems. */
export function checkPermissions(
  given: readonly GivenPermission[],
  content: ContentContext,
  actions: Actions,
): readonly PermissionInput[] {
  const { registry } = content.bind;
  const problems = given.flatMap((permission, index) => problemOf(permission, String(index), { registry, actions }) ?? []);
  if (problems.length > 0) throw fieldErrors(problems);
  const permissions = given.map(({ action, subject = null, properties, conditions }) => ({
    ...{ action, subject, properties: propertiesOf(properties) },
    conditions: [...new Set(conditions)],
  }));
  const keys = permissions.map(({ action, subject }) => `${action} ${String(subject)}`);
  if (new Set(keys).size < keys.length)
    throw fieldErrors([{ path: ['permissions'], message: 'Some permissions are duplicated (same action and subject)' }]);
  return permissions;
}

/** Returns what is wrong with the permission at an index of a list; null if it can be stored. */
export function problemOf(
  { action, subject = null, properties }: GivenPermission,
  index: string,
  { registry, actions = ownActions }: Pick<ContentContext['bind'], 'registry'> & { readonly actions?: Actions },
): FieldError | null {
  const path = ['permissions', index];
  const ofContent = actions.content.find(({ actionId }) => actionId === action);
  const isPlain = [...actions.plugins, ...actions.settings].some((one) => one.action === action);
  if (ofContent === undefined && !isPlain)
    return { path: [...path, 'action'], message: 'action is not an existing permission action' };
  const subjects = ofContent === undefined ? [] : subjectsOf(ofContent, registry);
  const type = subjects.find(({ uid }) => uid === subject);
  if (ofContent === undefined ? subject !== null : type === undefined)
    return { path: [...path, 'subject'], message: 'Invalid subject submitted' };
  const allowed = ofContent?.applyToProperties.filter((name) => name !== 'locales' || type?.localized === true) ?? [];
  const isKnown = Object.keys(properties ?? {}).every((name) => allowed.some((other) => other === name));
  return isKnown ? null : { path: [...path, 'properties'], message: `Invalid property set at permissions[${index}].properties` };
}
