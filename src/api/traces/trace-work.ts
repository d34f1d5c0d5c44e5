import type * as Api from '@opentelemetry/api';
import type { OutgoingCall, TraceLink } from '#base/observe/trace-link.js';
import type { Consumer } from '#base/observe/observer.js';
import { contextIn, linkHeaders, tracerOf } from './trace-context.js';

/**
 * Returns what makes spans of commands to the database, of jobs, and of requests to other services. `spans` has those of requests
 * by their ids. Commands that belong to no request and no run of a job have none.
 */
export const traceWork = (api: typeof Api, spans: ReadonlyMap<string, Api.Span>): Consumer => {
  const runs = new Map<string, Api.Span>();
  return { ...traceJobs(api, runs), ...traceCommands(api, spans, runs), ...traceCalls(api) };
};

/** `runs` has the spans of runs under way. A run does not overlap with another one of the same job. */
function traceJobs(api: typeof Api, runs: Map<string, Api.Span>): Consumer {
  const { context, trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  const begun = new WeakMap<TraceLink, Api.Span>();
  return {
    'job begun': ({ job, link }) => {
      const options = { kind: SpanKind.INTERNAL, attributes: { 'mangrove.job': job } };
      const span = tracerOf(api).startSpan(`job ${job}`, options, ROOT_CONTEXT);
      begun.set(link, span);
      runs.set(job, span);
      linkHeaders(link, span, api);
      link.around = (work) => context.with(trace.setSpan(ROOT_CONTEXT, span), work);
    },
    'job ended': ({ job, link, err }) => {
      const span = begun.get(link);
      if (span === undefined) return;
      if (runs.get(job) === span) runs.delete(job);
      if (err !== null) {
        const type = err instanceof Error ? err.name : '_OTHER';
        span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function traceCommands(
  api: typeof Api,
  spans: ReadonlyMap<string, Api.Span>,
  runs: ReadonlyMap<string, Api.Span>,
): Pick<Consumer, 'command ended'> {
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  return {
    'command ended': ({ command, collection, requestId, job, ms, isFailed }) => {
      const parent = (requestId !== null ? spans.get(requestId) : undefined) ?? (job !== null ? runs.get(job) : undefined);
      if (parent?.isRecording() !== true) return;
      const now = Date.now();
      const named = { 'db.operation.name': command, ...(collection !== null && { 'db.collection.name': collection }) };
      const attributes = { 'db.system.name': 'mongodb', ...named };
      const options = { kind: SpanKind.CLIENT, startTime: now - ms, attributes };
      const name = collection === null ? command : `${command} ${collection}`;
      const span = tracerOf(api).startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));
      if (isFailed) span.setAttribute('error.type', '_OTHER').setStatus({ code: SpanStatusCode.ERROR });
      span.end(now);
    },
  };
}

function traceCalls(api: typeof Api): Consumer {
  const { SpanKind, SpanStatusCode } = api;
  const begun = new WeakMap<OutgoingCall, Api.Span>();
  return {
    'call begun': ({ call }) => {
      const { method, url, trace, link } = call;
      const { hostname, port, protocol } = new URL(url);
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      };
      const span = tracerOf(api).startSpan(method, { kind: SpanKind.CLIENT, attributes }, contextIn(api, trace ?? {}));
      begun.set(call, span);
      linkHeaders(link, span, api);
    },
    'call ended': ({ call, status }) => {
      const span = begun.get(call);
      if (span === undefined) return;
      if (status !== null) span.setAttribute('http.response.status_code', status);
      if (status === null || status >= 400)
        span.setAttribute('error.type', status === null ? '_OTHER' : String(status)).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
