import { useRBACProvider } from '@strapi/helper-plugin';
import { useTypes } from '../use-types.js';

/** Returns the types with `options.trash` whose entries the administrator may delete. */
export function useTrashTypes() {
  const { allPermissions } = useRBACProvider();
  const { types: all, isLoading } = useTypes();
  const may = (action, uid) =>
    allPermissions.some((one) => one.action === `plugin::content-manager.explorer.${action}` && one.subject === uid);
  const types = all.filter(({ uid, options }) => options?.trash !== undefined && may('delete', uid) && may('read', uid));
  return { types: types.map((type) => ({ ...type, mayRestore: may('create', type.uid) })), isLoading };
}
