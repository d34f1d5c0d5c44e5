import { useQuery } from 'react-query';
import { useFetchClient, useRBACProvider } from '@strapi/helper-plugin';

/** Returns the types with `options.trash` whose entries the administrator may delete. */
export function useTrashTypes() {
  const { get } = useFetchClient();
  const { allPermissions } = useRBACProvider();
  const read = async () => (await get('/content-manager/content-types')).data.data;
  const { data = [], isLoading } = useQuery(['mangrove-trash-types'], read);
  const may = (action, uid) =>
    allPermissions.some((one) => one.action === `plugin::content-manager.explorer.${action}` && one.subject === uid);
  const types = data.filter(({ uid, options }) => options?.trash !== undefined && may('delete', uid) && may('read', uid));
  return { types: types.map((type) => ({ ...type, mayRestore: may('create', type.uid) })), isLoading };
}
