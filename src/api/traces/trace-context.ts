import type * as Api from '@opentelemetry/api';
import type { TraceHeaders, TraceLink } from '#base/observe/trace-link.js';

/** The headers of a request. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The header `traceparent` of W3C Trace Context. Later versions may have further parts. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Maximum number of characters of a `tracestate` that is passed on. */
const longestState = 512;

/** Returns the context of a trace in headers; the root if they have none, or one that is not valid. */
export function contextIn({ ROOT_CONTEXT, trace, createTraceState }: typeof Api, headers: Headers): Api.Context {
  const { traceparent, tracestate } = headers;
  const [, version, traceId, spanId, flags, more] = (typeof traceparent === 'string' ? form.exec(traceparent) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  if (version === '00' && more !== undefined) return ROOT_CONTEXT;
  const state = [tracestate ?? []].flat().join(',').slice(0, longestState);
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true },
    ...(state !== '' && { traceState: createTraceState(state) }),
  });
}

/** Tells a link of the headers that make work of another service part of a span. Without an SDK there are none. */
export function linkHeaders(link: TraceLink, span: Api.Span, { isSpanContextValid }: typeof Api): void {
  if (isSpanContextValid(span.spanContext())) link.headers = headersOf(span);
}

function headersOf(span: Api.Span): TraceHeaders {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const state = traceState?.serialize() ?? '';
  const flags = traceFlags.toString(16).padStart(2, '0');
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state !== '' && { tracestate: state }) };
}

/** Returns the tracer of the service. Its spans go where the operator's SDK sends them; nowhere without one. */
export const tracerOf = ({ trace }: typeof Api): Api.Tracer => trace.getTracer('mangrove');
