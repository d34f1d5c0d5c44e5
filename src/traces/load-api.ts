import type * as Api from '@opentelemetry/api';
import { ConfigError } from '../config/setting.js';
import type { Consumer } from '../observe/observer.js';
import { traceRequests } from './trace-requests.js';
import { traceWork } from './trace-work.js';

/** Returns what makes spans of observations. Rejects with a ConfigError if the package is not installed. */
export async function loadTraces(load: () => Promise<typeof Api> = () => import('@opentelemetry/api')): Promise<Consumer> {
  const api = await load().catch((cause: unknown) => {
    throw new ConfigError(missing, { cause });
  });
  const spans = new Map<string, Api.Span>();
  return { ...traceRequests(api, spans), ...traceWork(api, spans) };
}

const missing =
  'server.traces: the package @opentelemetry/api is not installed: npm install @opentelemetry/api, or set TRACES=false';
