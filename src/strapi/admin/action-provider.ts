import type { AdminAction } from '#http/running.js';
import { type Actions, actionsWith } from '#admin/rights/actions.js';
import { validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { createProvider, fullName, type Provider } from './provider.js';
import type { RegisteredActions } from './registered-actions.js';

/** `actionProvider` of `strapi.admin.services.permission`: the actions that roles of administrators may be granted. */
export interface ActionProvider extends Provider {
  /** Returns whether permissions for an action can be restricted by a property, such as `fields`. */
  appliesToProperty(property: string, actionId: string, subject?: string): Promise<boolean>;
  /** Returns the other names of an action. There are none. */
  unstable_aliases(): readonly string[];
}

/** Returns the provider for code. `isLoaded` says whether `bootstrap` has run, after which no action is added. */
export function createActionProvider(registered: RegisteredActions, isLoaded: () => boolean): ActionProvider {
  const all = (): Actions => actionsWith(registered.list());
  const provider = createProvider({
    ...{ what: 'actions', isLoaded },
    known: () => new Map([...shownActions(all()), ...registered.list().map(named)]),
    read: (given) => {
      const action = actionOf(given);
      return [action.actionId, () => registered.add(action)];
    },
  });
  return Object.assign(provider, {
    appliesToProperty: (property: string, actionId: string) => Promise.resolve(applies(all(), property, actionId)),
    unstable_aliases: () => [],
  });
}

const named = (action: AdminAction): readonly [string, object] => [action.actionId, action];

/** Returns the actions of the panel in the form of Strapi v4. */
const shownActions = ({ content, plugins, settings }: Actions): readonly (readonly [string, object])[] => [
  ...content.map(({ label, actionId, applyToProperties }) =>
    shownAction(actionId, { section: 'contentTypes', displayName: label, options: { applyToProperties } }),
  ),
  ...plugins.map(({ action, ...rest }) => shownAction(action, { section: 'plugins', ...rest })),
  ...settings.map(({ action, ...rest }) => shownAction(action, { section: 'settings', ...rest })),
];

const shownAction = (actionId: string, rest: object): readonly [string, object] => [actionId, { actionId, ...rest }];

const applies = ({ content }: Actions, property: string, actionId: string): boolean =>
  content.some((action) => action.actionId === actionId && action.applyToProperties.some((name) => name === property));

const sections = ['contentTypes', 'plugins', 'settings', 'internal'] as const;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

/** What an action must be, with the message for any other. */
const rules: readonly (readonly [message: string, isMet: (action: Values) => boolean])[] = [
  [
    'uid: The id can only contain lowercase letters, dots and hyphens.',
    ({ uid }) => typeof uid === 'string' && /^[a-z]([a-z|.|-]+)[a-z]$/.test(uid),
  ],
  [
    `section must be one of the following values: ${sections.join(', ')}`,
    ({ section }) => sections.some((one) => one === section),
  ],
  ['displayName is a required field', ({ displayName }) => isText(displayName)],
  ['pluginName is a required field', ({ section, pluginName }) => section !== 'plugins' || isText(pluginName)],
  ['category is a required field', ({ section, category }) => section !== 'settings' || isText(category)],
  ['subjects is a required field', ({ section, subjects }) => section !== 'contentTypes' || isTexts(subjects)],
];

/** Returns an action with its full name. Throws a ValidationError if it is invalid. */
function actionOf(given: unknown): AdminAction {
  const action = isRecord(given) ? given : {};
  const broken = rules.find(([, isMet]) => !isMet(action));
  if (broken !== undefined) throw validationError(broken[0]);
  const { section, displayName, uid, pluginName, category, subCategory, subjects, options } = action;
  const { applyToProperties } = Object(options) as Values;
  return {
    actionId: fullName(String(uid), pluginName),
    section: section as AdminAction['section'], // one of them, by the rules
    displayName: String(displayName),
    ...(isText(pluginName) && { pluginName }),
    ...(isText(category) && { category }),
    ...((section === 'plugins' || section === 'settings') && { subCategory: isText(subCategory) ? subCategory : 'general' }),
    ...(isTexts(subjects) && { subjects }),
    options: { applyToProperties: isTexts(applyToProperties) ? applyToProperties : null },
  };
}
