import { flag } from '../config/setting.js';

export const tracesSettings = {
  traces: flag(
    false,
    'Traces of requests, of their commands to the database, and of jobs through `@opentelemetry/api`, which must be installed',
    { variable: 'TRACES' },
  ),
};
