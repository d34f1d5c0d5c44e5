import type { ContentContext } from '#content/content-context.js';
import { isStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { insertIfAbsent } from '#store/write/compile-change.js';
import { collections } from '#model/schema/collections.js';
import { superAdminCode } from '../administrators/administrator.js';
import { wholePermission } from './all-permissions.js';
import { contentActions, shownTypes, subjectsOf } from './actions.js';

/** The roles of a new database. The id of a role is its index plus one. */
const roles = [
  {
    name: 'Super Admin',
    code: superAdminCode,
    description: 'Super Admins can access and manage all features and settings.',
  },
  {
    name: 'Editor',
    code: 'strapi-editor',
    description: 'Editors can manage and publish contents including those of other users.',
  },
  { name: 'Author', code: 'strapi-author', description: 'Authors can manage the content they have created.' },
] as const;

const library = (action: string) => `plugin::upload.${action}`;
const creator = 'admin::is-creator';

interface DefaultPermission {
  readonly action: string;
  readonly subject?: string;
  readonly properties?: object;
  readonly conditions?: readonly string[];
}

/** The parts of a context that the default permissions depend on. */
type WithModels = Pick<ContentContext, 'store'> & { readonly bind: Pick<ContentContext['bind'], 'registry' | 'locales'> };

/** Creates the default roles if there are none, with permissions on the types that exist at that moment, as Strapi v4 does. */
export async function createDefaultAdminRoles(content: WithModels): Promise<void> {
  const { store } = content;
  if (await isStored(store.database, collections.adminRoles)) return;
  const now = new Date();
  const stamps = { createdAt: now, updatedAt: now };
  await bulkWrite(
    store,
    collections.adminRoles,
    roles.map((role, index) => insertIfAbsent({ _id: index + 1 }, { ...role, ...stamps })),
  );
  const permissions = [
    ...editorPermissions(content).map((permission) => ({ ...permission, role: 2 })),
    ...authorPermissions(content).map((permission) => ({ ...permission, role: 3 })),
  ];
  const documents = permissions.map(({ action, subject = null, properties = {}, conditions = [], role }, index) =>
    insertIfAbsent({ _id: index + 1 }, { action, actionParameters: {}, subject, properties, conditions, role, ...stamps }),
  );
  await bulkWrite(store, collections.adminPermissions, documents);
}

const editorPermissions = (content: WithModels): readonly DefaultPermission[] => [
  ...onContent(content, () => true),
  ...['read', 'assets.create', 'assets.update', 'assets.download', 'assets.copy-link', 'configure-view'].map((action) => ({
    action: library(action),
  })),
];

const authorPermissions = (content: WithModels): readonly DefaultPermission[] => [
  ...onContent(content, (action) => !action.endsWith('.publish')).map((permission) => ({ ...permission, conditions: [creator] })),
  { action: library('read'), conditions: [creator] },
  { action: library('configure-view') },
  { action: library('assets.create') },
  { action: library('assets.update'), conditions: [creator] },
  { action: library('assets.download') },
  { action: library('assets.copy-link') },
];

/** Returns permissions on the types of the project, in all locales that there are: without them the page of roles would drop them. */
const onContent = ({ bind: { registry, locales } }: WithModels, isWanted: (action: string) => boolean): DefaultPermission[] =>
  shownTypes(registry)
    .filter(({ uid }) => uid.startsWith('api::'))
    .flatMap((type) =>
      contentActions
        .filter((each) => isWanted(each.actionId) && subjectsOf(each, registry).includes(type))
        .map((action) => wholePermission(action, type, { registry, locales })),
    );
