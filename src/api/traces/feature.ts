import { addedSettings } from '#settings/sections.js';
import { flag } from '#settings/setting.js';
import type { Feature } from '#http/feature.js';

export const tracesSettings = {
  traces: flag(
    false,
    'Traces of requests, of their commands to the database, and of jobs through `@opentelemetry/api`, which must be installed',
    { variable: 'TRACES' },
  ),
};

/** Traces for OpenTelemetry. Nothing is loaded, and nothing observed, unless they are enabled. */
export const traces: Feature = {
  name: 'traces',
  settings: { server: tracesSettings },
  observes: ({ server }) =>
    addedSettings(server, tracesSettings).traces ? import('./load-traces.js').then(({ loadTraces }) => loadTraces()) : null,
};
