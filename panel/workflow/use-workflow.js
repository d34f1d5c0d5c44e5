import { useQuery } from 'react-query';
import { useFetchClient } from '@strapi/helper-plugin';

/** Reads the stages of a type and the administrators, once for all that show them. */
export function useWorkflow(uid) {
  const { get } = useFetchClient();
  const path = `/admin/api/workflow/${uid}`;
  return useQuery([path], async () => (await get(path)).data.data, { staleTime: 60_000 });
}

/** Returns the name of an administrator; the id if there is none. */
export const personName = ({ id, name }) => name || `#${id}`;
