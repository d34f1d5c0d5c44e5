import { type AddedSettings, sectionsWith } from '#settings/sections.js';
import { metricsSettings, slowSettings } from '#api/metrics/settings.js';
import { syncSettings } from '#api/sync/settings.js';
import { tracesSettings } from '#api/traces/feature.js';

/**
 * The settings that features add to config/, which are the `settings` of `features.ts`. They are apart from it, because a start reads
 * the configuration, and starts the embedded database, before it loads the modules of features.
 */
export const featureSettings: readonly { readonly settings: AddedSettings }[] = [
  { settings: { server: metricsSettings } },
  { settings: { server: slowSettings } },
  { settings: { server: tracesSettings } },
  { settings: syncSettings },
];

/** All settings of the service. */
export const allSections = sectionsWith(featureSettings);
