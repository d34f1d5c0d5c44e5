import { flag, type ValueOf } from '#settings/setting.js';

export const tracesSettings = {
  traces: flag(
    false,
    'Traces of requests, of their commands to the database, and of jobs through `@opentelemetry/api`, which must be installed',
    { variable: 'TRACES' },
  ),
};

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'server.traces': ValueOf<typeof tracesSettings.traces>;
  }
}
