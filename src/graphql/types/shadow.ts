import type { ContentType } from '../../schema/content-type.js';

export type RootAction = 'find' | 'findOne' | 'create' | 'update' | 'delete';

/** The parts of content types that the generated schema contains. The extension service has its own implementation. */
export interface Shadow {
  readonly hasType: (uid: string) => boolean;
  readonly hasAction: (type: ContentType, action: RootAction) => boolean;
  readonly hasOutput: (uid: string, attribute: string) => boolean;
  readonly hasInput: (uid: string, attribute: string) => boolean;
  readonly hasFilters: (uid: string, attribute: string) => boolean;
}

const allActions: readonly RootAction[] = ['find', 'findOne', 'create', 'update', 'delete'];
const writes: readonly RootAction[] = ['create', 'update', 'delete'];

/** Root fields that are never generated, because users and roles have other mutations, and locales are managed elsewhere. */
const withoutActions: Readonly<Record<string, readonly RootAction[]>> = {
  'plugin::users-permissions.permission': allActions,
  'plugin::users-permissions.role': writes,
  'plugin::users-permissions.user': writes,
  'plugin::i18n.locale': writes,
};

/** The shadow without extensions. */
export const defaultShadow: Shadow = {
  hasType: (uid) => !uid.startsWith('admin::'),
  hasAction: (type, action) => withoutActions[type.uid]?.includes(action) !== true,
  hasOutput: () => true,
  hasInput: () => true,
  hasFilters: () => true,
};
