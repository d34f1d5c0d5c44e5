import { addedSettings } from '../config/sections.js';
import type { Feature } from '../http/feature.js';
import { tracesSettings as settings } from './settings.js';

/** Traces for OpenTelemetry. Nothing is loaded, and nothing observed, unless they are enabled. */
export const traces: Feature = {
  name: 'traces',
  settings: { server: settings },
  observes: ({ server }) =>
    addedSettings(server, settings).traces ? import('./load-api.js').then(({ loadTraces }) => loadTraces()) : null,
};
