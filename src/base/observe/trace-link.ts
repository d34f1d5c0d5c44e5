/**
 * How work is linked with traces. Observers of its beginning set what they know; it stays empty without them, and the same object
 * comes with the end of the work.
 */
export interface TraceLink {
  /** Headers that tell other services of the trace. */
  headers?: TraceHeaders;
  /** Runs the work where code finds the trace. */
  around?: <Result>(work: () => Result) => Result;
}

/** The headers `traceparent` and `tracestate`. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** A request to another service. */
export interface OutgoingCall {
  readonly method: string;
  readonly url: string;
  /** The trace that it belongs to; null if there is none. */
  readonly trace: TraceHeaders | null;
  readonly link: TraceLink;
}
