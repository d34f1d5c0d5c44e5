import { contextOfCode } from '../code/content-of-code.js';
import type { Feature } from '#http/feature.js';
import { trashDeclaration } from './declaration.js';
import { keepingDeleted } from './keep-deleted.js';
import { trashOption } from './trash-option.js';

/** Keeps deleted entries of types with `options.trash` for some days. The admin API lists and restores them. */
export const trash: Feature = {
  name: 'trash',
  ...trashDeclaration,
  options: [trashOption],
  start: (running) => {
    const end = running.backend.store.changes.subscribe(keepingDeleted(() => contextOfCode(running)));
    return Promise.resolve(() => Promise.resolve(end()));
  },
};
