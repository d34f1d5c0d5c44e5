/**
 * The module with the `fetch` of the media library of the panel. The policy of the pages allows requests to the service alone, so the
 * service fetches files of other hosts.
 */
export const fetchThroughService = `
import { auth } from '@strapi/helper-plugin';

export const fetch = async (address, ...rest) => {
  const { origin, protocol, href } = new URL(address, window.location.href);
  if (origin === window.location.origin || !/^https?:$/.test(protocol)) return window.fetch(address, ...rest);
  const headers = { Authorization: 'Bearer ' + auth.getToken(), 'Content-Type': 'application/json' };
  const answer = await window.fetch('/upload/from-url', { method: 'POST', headers, body: JSON.stringify({ url: href }) });
  if (!answer.ok) throw new Error((await answer.json()).error.message);
  const file = new Response(await answer.blob(), { headers: { 'Content-Type': answer.headers.get('Content-Type') } });
  return Object.defineProperty(file, 'url', { value: answer.headers.get('X-File-Address') });
};
`;
