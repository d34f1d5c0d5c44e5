import { Link } from '@strapi/helper-plugin';
import { entryPath } from './entry-path.ts';
import { useTypes } from './use-types.js';

/** A link to the form of an entry of a content type. */
export function EntryLink({ uid, id, locale, children }) {
  const { types } = useTypes();
  const kind = types.find((type) => type.uid === uid)?.kind;
  return <Link to={entryPath({ uid, id, locale }, kind)}>{children}</Link>;
}
