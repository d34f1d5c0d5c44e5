import { useQuery } from 'react-query';
import { read } from './client.js';

/** Returns the content types that the panel shows. They are read once a minute at most. */
export function useTypes() {
  const { data: types = [], isLoading } = useQuery(['mangrove-types'], () => read('/content-manager/content-types'), {
    staleTime: 60_000,
  });
  return { types, isLoading };
}
