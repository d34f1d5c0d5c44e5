import type * as Api from '@opentelemetry/api';
import { ConfigError } from '#settings/setting.js';
import type { Consumer } from '#base/observe/observer.js';
import { methodOf } from '#base/observe/request-observations.js';
import type { TraceLink } from '#base/observe/trace-link.js';
import { contextIn, linkHeaders, tracerOf } from './trace-context.js';
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

/** Returns what makes a span of each request. `spans` has those under way by the id of the request. */
function traceRequests(api: typeof Api, spans: Map<string, Api.Span>): Consumer {
  const { context, trace, SpanKind, SpanStatusCode } = api;
  const begun = new WeakMap<TraceLink, Api.Span>();
  return {
    'request begun': ({ requestId, method, path, headers, link }) => {
      const parent = contextIn(api, headers);
      const attributes = { 'http.request.method': methodOf(method), 'url.path': path, 'mangrove.request_id': requestId };
      const span = tracerOf(api).startSpan(methodOf(method), { kind: SpanKind.SERVER, attributes }, parent);
      const own = trace.setSpan(parent, span);
      begun.set(link, span);
      if (!spans.has(requestId)) spans.set(requestId, span);
      linkHeaders(link, span, api);
      link.around = (work) => context.with(own, work);
    },
    'request ended': ({ requestId, method, route, status, link }) => {
      const span = begun.get(link);
      if (span === undefined) return;
      if (spans.get(requestId) === span) spans.delete(requestId);
      if (route !== null) span.updateName(`${methodOf(method)} ${route}`).setAttribute('http.route', route);
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
