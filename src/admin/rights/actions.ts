import { memoize } from '#base/caches.js';
import type { AdminAction } from '#http/running.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';

/** The prefix of the actions on entries. */
export const explorer = 'plugin::content-manager.explorer';

/** An action on the entries of a content type. */
export interface ContentAction {
  readonly label: string;
  readonly actionId: string;
  /** The properties of a permission that restrict it. */
  readonly applyToProperties: readonly ('fields' | 'locales')[];
  /** Whether entries of a type can be subjects; all shown types by default. */
  readonly applies?: (type: ContentType) => boolean;
}

const properties = ['fields', 'locales'] as const;

/** The actions on entries, in the order of the panel. */
export const contentActions: readonly ContentAction[] = [
  { label: 'Create', actionId: `${explorer}.create`, applyToProperties: properties },
  { label: 'Read', actionId: `${explorer}.read`, applyToProperties: properties },
  { label: 'Update', actionId: `${explorer}.update`, applyToProperties: properties },
  { label: 'Delete', actionId: `${explorer}.delete`, applyToProperties: ['locales'] },
  {
    label: 'Publish',
    actionId: `${explorer}.publish`,
    applyToProperties: ['locales'],
    applies: ({ draftAndPublish }) => draftAndPublish,
  },
];

/** Returns the types that the panel shows, in the order of its lists: users, those of plugins, those of the project. */
export const shownTypes = ({ types }: Registry): readonly ContentType[] => {
  const listedTypes = [...types.values()].filter(({ kind, listed }) => kind !== 'component' && listed);
  const place = ({ uid }: ContentType): string =>
    `${String(uid !== 'plugin::users-permissions.user')} ${String(uid.startsWith('api::'))} ${uid}`;
  return listedTypes.sort((a, b) => (place(a) < place(b) ? -1 : 1));
};

/** Returns the types that can be subjects of an action. */
export const subjectsOf = ({ applies = () => true }: ContentAction, registry: Registry): readonly ContentType[] =>
  shownTypes(registry).filter(applies);

/** An action without a subject, as the pages of roles list it. */
type PlainAction = {
  readonly displayName: string;
  readonly subCategory: string;
  readonly action: string;
} & ({ readonly plugin: string } | { readonly category: string });

/** [display name, sub-category, last part of the action] */
type Row = readonly [displayName: string, subCategory: string, action: string];

const ofPlugin = (plugin: string, rows: readonly Row[]): PlainAction[] =>
  rows.map(([displayName, subCategory, action]) => ({ displayName, plugin, subCategory, action: `plugin::${plugin}.${action}` }));

const ofSettings = (category: string, prefix: string, rows: readonly Row[]): PlainAction[] =>
  rows.map(([displayName, subCategory, action]) => ({ displayName, category, subCategory, action: `${prefix}${action}` }));

const changes = (subCategory: string, subject: string, labels: Partial<Record<'create' | 'delete', string>> = {}): Row[] => [
  [labels.create ?? 'Create', subCategory, `${subject}.create`],
  ['Read', subCategory, `${subject}.read`],
  ['Update', subCategory, `${subject}.update`],
  [labels.delete ?? 'Delete', subCategory, `${subject}.delete`],
];

/** The actions of plugins. */
const pluginActions: readonly PlainAction[] = [
  ...ofPlugin('content-manager', [
    ['Configure view', 'single types', 'single-types.configure-view'],
    ['Configure view', 'collection types', 'collection-types.configure-view'],
    ['Configure Layout', 'components', 'components.configure-layout'],
  ]),
  ...ofPlugin('content-type-builder', [
    ['Read', 'general', 'read'],
    ['Change content types and components', 'general', 'update'],
  ]),
  ...ofPlugin('upload', [
    ['Access the Media Library', 'general', 'read'],
    ['Create (upload)', 'assets', 'assets.create'],
    ['Update (crop, details, replace) + delete', 'assets', 'assets.update'],
    ['Download', 'assets', 'assets.download'],
    ['Copy link', 'assets', 'assets.copy-link'],
    ['Configure view', 'general', 'configure-view'],
  ]),
  ...ofPlugin('users-permissions', [
    ...changes('roles', 'roles'),
    ['Read', 'providers', 'providers.read'],
    ['Edit', 'providers', 'providers.update'],
    ['Read', 'emailTemplates', 'email-templates.read'],
    ['Edit', 'emailTemplates', 'email-templates.update'],
    ['Read', 'advancedSettings', 'advanced-settings.read'],
    ['Edit', 'advancedSettings', 'advanced-settings.update'],
  ]),
  ...ofPlugin('mangrove', [['Read who has changed which entry', 'general', 'audit']]),
];

/** The actions on settings. Those on transfer tokens are left out: there are none, and without `access` the panel hides their page. */
const settingsActions: readonly PlainAction[] = [
  ...ofSettings('email', 'plugin::email.', [['Access the Email Settings page', 'general', 'settings.read']]),
  ...ofSettings('media library', 'plugin::upload.', [['Access the Media Library settings page', 'general', 'settings.read']]),
  ...ofSettings('Internationalization', 'plugin::i18n.', changes('Locales', 'locale')),
  ...ofSettings('plugins and marketplace', 'admin::', [['Access the marketplace', 'marketplace', 'marketplace.read']]),
  ...ofSettings('webhooks', 'admin::', changes('general', 'webhooks')),
  ...ofSettings('users and roles', 'admin::', [
    ...changes('users', 'users', { create: 'Create (invite)' }),
    ...changes('roles', 'roles'),
  ]),
  ...ofSettings('api tokens', 'admin::', [
    ['Access the API tokens settings page', 'api Tokens', 'api-tokens.access'],
    ['Create (generate)', 'general', 'api-tokens.create'],
    ['Read', 'general', 'api-tokens.read'],
    ['Update', 'general', 'api-tokens.update'],
    ['Regenerate', 'general', 'api-tokens.regenerate'],
    ['Delete (revoke)', 'general', 'api-tokens.delete'],
  ]),
  ...ofSettings('project', 'admin::', [
    ['Update the project level settings', 'general', 'project-settings.update'],
    ['Read the project level settings', 'general', 'project-settings.read'],
  ]),
];

/** Names of conditions of permissions. */
export const conditions = [
  { id: 'admin::is-creator', displayName: 'Is creator', category: 'default' },
  { id: 'admin::has-same-role-as-creator', displayName: 'Has same role as creator', category: 'default' },
] as const;

/** The actions that administrators may be allowed to do. */
export interface Actions {
  readonly content: readonly ContentAction[];
  readonly plugins: readonly PlainAction[];
  readonly settings: readonly PlainAction[];
  /** Names of actions that only super admins may do. No page lists them. */
  readonly internal: readonly string[];
}

/** The actions of the panel itself. */
export const ownActions: Actions = { content: contentActions, plugins: pluginActions, settings: settingsActions, internal: [] };

/** Returns the actions of the panel with those that the code of a project has registered. */
export const actionsWith: (added: readonly AdminAction[]) => Actions = memoize((added) => {
  const of = (section: AdminAction['section']): readonly AdminAction[] => added.filter((action) => action.section === section);
  return {
    content: [...contentActions, ...of('contentTypes').map(addedContentAction)],
    plugins: [
      ...pluginActions,
      ...of('plugins').map(({ pluginName = '', ...rest }) => ({ ...plainAction(rest), plugin: pluginName })),
    ],
    settings: [...settingsActions, ...of('settings').map(({ category = '', ...rest }) => ({ ...plainAction(rest), category }))],
    internal: of('internal').map(({ actionId }) => actionId),
  };
});

const plainAction = ({ displayName, subCategory = 'general', actionId }: AdminAction) => ({
  ...{ displayName, subCategory, action: actionId },
});

function addedContentAction({ displayName, actionId, subjects = [], options }: AdminAction): ContentAction {
  const named = options.applyToProperties ?? [];
  return {
    ...{ label: displayName, actionId },
    applyToProperties: properties.filter((name) => named.includes(name)),
    applies: ({ uid }) => subjects.includes(uid),
  };
}

/** Returns the names of all actions. */
export const actionNames: (actions: Actions) => ReadonlySet<string> = memoize(
  ({ content, plugins, settings, internal }) =>
    new Set([...content.map(({ actionId }) => actionId), ...[...plugins, ...settings].map(({ action }) => action), ...internal]),
);
