import type { Config } from '#settings/config.js';
import { record, type Schema } from '#http/json-schema.js';
import { hasPreviews } from '../preview/settings.js';
import { mapValues } from '#base/values.js';
import { trashOption } from '#api/trash/trash-option.js';
import type { ContentContext } from '#content/content-context.js';
import { hasSchedule } from '#model/schema/scheduled.js';
import { optionOf } from '#model/schema/model-option.js';
import type { AdminRoute } from './admin-call.js';
import { describe, row } from './admin-row.js';

/** Whether a part of Mangrove in the panel is on, by its name in `panel/index.jsx`. The panel shows nothing of those that are off. */
const parts: Readonly<Record<string, (config: Config, content: ContentContext) => boolean>> = {
  schedule: () => true, // its types say whether they have it
  history: () => true, // as above
  workflow: () => true, // as above
  trash: (_, { bind }) => [...bind.registry.types.values()].some((type) => optionOf(type, trashOption) !== null), // its page is in the menu
  releases: (_, { store }) => store.database.isReplicated, // each is a transaction
  drafts: () => true, // its types say whether they have it
  calendar: (_, { bind, store }) => store.database.isReplicated || [...bind.registry.types.values()].some(hasSchedule),
  preview: hasPreviews,
  audit: ({ admin }) => admin.audit.days > 0,
};

const flags: Schema = record(mapValues(parts, () => ({ type: 'boolean' })));

/** The route by which the panel asks which parts of Mangrove it shows. */
export const panelPartRoutes: readonly AdminRoute[] = [
  {
    ...row(
      'GET /panel',
      describe('adminFindPanelParts', 'Read which parts of Mangrove the panel shows', flags),
      ({ running, content }) => mapValues(parts, (isOn) => isOn(running.config, content)),
    ),
    right: 'logged in',
  },
];
