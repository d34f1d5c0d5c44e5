import { useState } from 'react';
import { useQueryClient } from 'react-query';
import { useNotification } from '@strapi/helper-plugin';
import { api, refusalOf } from './release-texts.js';

/**
 * Returns a function that sends a change and then reads all releases anew, and whether one is under way. The function resolves to the
 * answer; to null if the service refuses the change, which is then shown. After a deletion nothing is read: the next page does that.
 */
export function useChange() {
  const toggleNotification = useNotification();
  const queries = useQueryClient();
  const [isSending, setIsSending] = useState(false);
  const change = async (send, { deletes = false } = {}) => {
    setIsSending(true);
    try {
      const { data } = (await send()).data;
      if (!deletes) await queries.invalidateQueries(api);
      return data;
    } catch (error) {
      toggleNotification({ type: 'warning', message: refusalOf(error) });
      await queries.invalidateQueries(api);
      return null;
    } finally {
      setIsSending(false);
    }
  };
  return { change, isSending };
}
