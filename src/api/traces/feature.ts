import type { Feature } from '#http/feature.js';
import { tracesSettings } from './settings.js';

/** Traces for OpenTelemetry. Nothing is loaded, and nothing observed, unless they are enabled. */
export const traces: Feature = {
  name: 'traces',
  settings: { server: tracesSettings },
  observes: ({ server }) => (server.traces ? import('./load-traces.js').then(({ loadTraces }) => loadTraces()) : null),
};
