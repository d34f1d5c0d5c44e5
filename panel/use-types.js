import { useQuery } from 'react-query';
import { useFetchClient } from '@strapi/helper-plugin';

/** Returns the content types that the panel shows. They are read once a minute at most. */
export function useTypes() {
  const { get } = useFetchClient();
  const read = async () => (await get('/content-manager/content-types')).data.data;
  const { data: types = [], isLoading } = useQuery(['mangrove-types'], read, { staleTime: 60_000 });
  return { types, isLoading };
}
