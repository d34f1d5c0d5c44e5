import { label } from './texts.js';

/** Returns the author of a write in words. Administrators have a name; others are shown by their kind and id. */
export function authorName(by, formatMessage) {
  if (by === null || by === 'schedule') return formatMessage(label(by === null ? 'authors.code' : 'authors.schedule'));
  return by.name ?? formatMessage(label(`authors.${by.kind}`), { id: by.id });
}
