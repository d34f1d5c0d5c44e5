import type { FieldError } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { splitPath, type LinkedFiles } from '../schema/findings.js';
import { uploadFile } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';

/** The files that are not of a type that their attribute allows (`images`, `videos`, `audios`, `files`). One command, or none. */
export async function fileErrors(files: readonly LinkedFiles[], { store, bind }: ContentContext): Promise<FieldError[]> {
  const ids = [...new Set(files.flatMap((linked) => linked.ids))];
  const type = bind.registry.types.get(uploadFile);
  if (ids.length === 0 || type === undefined) return [];
  const command = { find: type.collection, filter: { _id: { $in: ids } }, projection: { mime: 1 }, batchSize: ids.length };
  const rows = await readAll(store.database, command);
  const kinds = new Map(rows.map(({ _id, mime }) => [Number(_id), kindOf(String(mime))]));
  return files
    .filter(({ ids: linked, allowedTypes }) => linked.some((id) => kinds.has(id) && !allowedTypes.includes(kinds.get(id) ?? '')))
    .map(({ path, allowedTypes }) => ({ path: splitPath(path), message: `${path} takes only ${allowedTypes.join(', ')}` }));
}

/** The word of the model for a media type; what is neither image, video nor audio is a file. */
function kindOf(mime: string): string {
  const [family = ''] = mime.split('/');
  return ['image', 'video', 'audio'].includes(family) ? `${family}s` : 'files';
}
