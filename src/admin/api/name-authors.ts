import type { Author } from '#store/changes/entry-events.js';
import type { RunningService } from '#http/running.js';

interface Written {
  readonly by: Author;
}

/** Returns rows with the names of the administrators who have written. Others have no names that everybody may read. */
export async function nameAuthors<Row extends Written>(rows: readonly Row[], running: RunningService) {
  const { panelOf } = await import('../panel.js'); // only administrators and the panel need it
  const { administrator } = panelOf(running);
  const ids = new Set(rows.flatMap(({ by }) => (isAdministrator(by) ? [by.id] : [])));
  const named = await Promise.all([...ids].map(async (id) => [id, nameOf(await administrator(id))] as const));
  const names = new Map(named);
  return rows.map((row) => {
    const name = isAdministrator(row.by) ? (names.get(row.by.id) ?? '') : '';
    return name === '' ? row : { ...row, by: { ...Object(row.by), name } };
  });
}

const isAdministrator = (by: Author): by is { readonly kind: 'administrator'; readonly id: number } =>
  typeof by === 'object' && by?.kind === 'administrator' && by.id !== null;

/** Returns the name under which an administrator is known; an empty text if there is none. */
export const nameOf = (
  one: { readonly firstname: string | null; readonly lastname: string | null; readonly username: string | null } | null,
) => (one === null ? '' : one.username || [one.firstname, one.lastname].filter(Boolean).join(' '));
