import { label } from '../texts.js';

/** The path of the page of releases in the panel, and that of its rows in the admin API. */
export const page = '/plugins/mangrove-releases';
export const api = '/admin/api/releases';

/** Returns when a release is carried out, or was, in words. */
export function timeText({ at, publishedAt, failedAt }, { formatMessage, formatDate }) {
  const time = (value) => formatDate(value, { dateStyle: 'medium', timeStyle: 'short' });
  if (publishedAt !== null) return formatMessage(label('release.publishedAt'), { time: time(publishedAt) });
  if (failedAt !== null) return formatMessage(label('release.failedAt'), { time: time(failedAt) });
  return at === null ? formatMessage(label('release.byHand')) : time(at);
}

/** Returns the message of a refused request, with all problems that it names. */
export function refusalOf(error) {
  const { message, details } = error.response?.data?.error ?? { message: String(error) };
  const others = (details?.errors ?? []).map((one) => one.message);
  return others.length > 1 ? `${message}: ${others.join('; ')}` : message;
}
