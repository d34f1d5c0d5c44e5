import type { LinkAttribute, MorphAttribute } from './content-type.js';
import { report, reportRelations, type Findings } from './findings.js';
import { parseLinkInput, parseMorphTarget } from './parse-link-input.js';

/** Checks the form of what is linked; that it exists is checked later. */
export function checkLink(link: LinkAttribute, value: unknown, path: string, found: Findings): void {
  if (value === null && link.required && link.kind === 'relation' && !found.context.draft)
    report(found, path, `${path} cannot be null.`);
  const input = parseLinkInput(value, link.target);
  if (input === null) {
    reportRelations(found, 'Invalid relations');
    return;
  }
  const ids = input.kind === 'set' ? input.ids : input.kind === 'patch' ? input.connect.map(({ id }) => id) : [];
  for (const id of ids) addTarget(found, link.target, id);
  if (found.context.strict && link.kind === 'media') checkFiles(link, ids, path, found);
}

function checkFiles({ many, allowedTypes }: LinkAttribute, ids: readonly number[], path: string, found: Findings): void {
  if (!many && ids.length > 1) report(found, path, `${path} takes one file`);
  if (allowedTypes.length > 0) found.files.push({ path, ids, allowedTypes });
}

function addTarget(found: Findings, uid: string, id: number): void {
  found.targets.set(uid, (found.targets.get(uid) ?? new Set()).add(id));
}

/** Targets of a polymorphic relation name their type in `__type`, or `type` . */
export function checkMorph({ targets }: MorphAttribute, value: unknown, found: Findings): void {
  const items: readonly unknown[] = value === null ? [] : Array.isArray(value) ? value : [value];
  for (const item of items) {
    const { uid, id } = parseMorphTarget(item);
    const isTarget = uid !== null && found.context.registry.types.has(uid) && (targets?.includes(uid) ?? true);
    if (id === null || !isTarget) reportRelations(found, 'Invalid relations');
    else addTarget(found, uid, id);
  }
}
