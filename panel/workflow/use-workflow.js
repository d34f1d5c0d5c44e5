import { useQuery } from 'react-query';
import { read } from '../client.js';

/** Reads the stages of a type and the administrators, once for all that show them. */
export function useWorkflow(uid) {
  const path = `/admin/api/workflow/${uid}`;
  return useQuery([path], () => read(path), { staleTime: 60_000 });
}

/** Returns the name of an administrator; the id if there is none. */
export const personName = ({ id, name }) => name || `#${id}`;
