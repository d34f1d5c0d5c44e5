import { getFetchClient } from '@strapi/helper-plugin';

/*
 * Requests with the log-in of the administrator. Unlike those of `useFetchClient` they do not end with the component that sends them:
 * another component may wait for the same query, and the answer to a write is wanted even if its dialog is closed.
 */

/** Returns what a path of the service answers as `data`. */
export const read = async (path, params) => (await getFetchClient().get(path, { params })).data.data;

export const post = (path, body) => getFetchClient().post(path, body);
export const put = (path, body) => getFetchClient().put(path, body);
export const del = (path) => getFetchClient().del(path);
