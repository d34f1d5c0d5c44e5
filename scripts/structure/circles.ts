import { dirname, join } from 'node:path/posix';
import { readImports } from './imports.js';
import type { Project, Source } from './project.js';

/** Pairs of folders inside `folder` of src that import each other, as `a <> b`; the folder's own files count as one folder, `.`. */
export function folderCircles({ sources }: Project, folder: string): readonly string[] {
  const inside = sources.filter(({ name }) => name.startsWith(`${folder}/`));
  const edges = new Set(inside.flatMap((source) => edgesOf(source, folder)));
  return [...edges]
    .filter((edge) => {
      const [from = '', to = ''] = edge.split(' > ');
      return from < to && edges.has(`${to} > ${from}`);
    })
    .map((edge) => edge.replace(' > ', ' <> '));
}

const edgesOf = ({ name, file }: Source, folder: string): readonly string[] =>
  readImports(file).flatMap(({ module }) => {
    const target = join(dirname(name), module);
    if (!module.startsWith('.') || !target.startsWith(`${folder}/`)) return [];
    const [from, to] = [partOf(name), partOf(target)];
    return from === to ? [] : [`${from} > ${to}`];
  });

/** The subfolder of a path such as graphql/endpoint/answer.js; `.` for a file of the folder itself. */
const partOf = (path: string): string => (path.split('/').length > 2 ? (path.split('/')[1] ?? '.') : '.');
