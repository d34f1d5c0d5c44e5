import type { Header } from 'tar-stream';
import type { Stage } from '../source.js';

/** The place of a file in an archive. */
interface ArchivePlace {
  readonly stage: Stage;
  /** The name without the folder. */
  readonly name: string;
}

const places: readonly { readonly path: RegExp; readonly stage: (folder: string) => Stage }[] = [
  { path: /^(schemas|entities|links|configuration)\/([^/]+\.jsonl)$/, stage: (folder) => folder as Stage }, // one of the pattern
  { path: /^(assets\/uploads)\/([^/]+)$/, stage: () => 'assets' },
];

/** Returns the place of a file; null if it holds no records. Throws an Error for what no export writes: links, and paths that lead out. */
export function placeOf({ name, type }: Header): ArchivePlace | null {
  if (type === 'directory') return null;
  const path = name.replaceAll('\\', '/').replace(/^\.\//, '');
  if (type !== 'file') throw new Error(`holds ${JSON.stringify(name)}, a ${String(type)}; only files are taken`);
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0') || path.split('/').includes('..'))
    throw new Error(`holds ${JSON.stringify(name)}, a path that leads out of it`);
  for (const place of places) {
    const [, folder, file] = place.path.exec(path) ?? [];
    if (folder !== undefined && file !== undefined) return { stage: place.stage(folder), name: file };
  }
  return null;
}
