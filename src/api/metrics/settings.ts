import type { Config } from '#settings/config.js';
import { shaped, integerSetting, type ValueOf } from '#settings/setting.js';

type Written = false | 'false' | 'token' | number | string | { readonly port: number };

const port = { type: 'integer', minimum: 1, maximum: 65_535 };

export const metricsSettings = {
  metrics: shaped<Written>(
    {
      anyOf: [
        { const: false },
        { type: 'string', pattern: '^(false|token|[1-9][0-9]{0,4})$' },
        port,
        { type: 'object', required: ['port'], properties: { port }, additionalProperties: false },
      ],
      description: 'false, token, or a port',
      variable: 'METRICS',
    },
    false,
    'Metrics for Prometheus at `/metrics`: `token` for requests with an admin token; `{ port }` at a port of their own without one',
  ),
};

/** Who may read metrics, and where; null if nobody. */
export function placeOfMetrics({ server }: Pick<Config, 'server'>): 'token' | { readonly port: number } | null {
  const { metrics } = server;
  if (metrics === false || metrics === 'false') return null;
  if (metrics === 'token' || typeof metrics === 'object') return metrics;
  return { port: Number(metrics) };
}

export const slowSettings = {
  slowRequest: integerSetting(
    0,
    'Milliseconds beyond which the log has a line with the lists and commands of a request, without values; 0: never',
  ),
};

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'server.metrics': ValueOf<typeof metricsSettings.metrics>;
    readonly 'server.slowRequest': ValueOf<typeof slowSettings.slowRequest>;
  }
}
