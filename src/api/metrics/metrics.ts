import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunningService } from '#http/running.js';
import type { Consumer } from '#base/observe/observer.js';
import { methodOf } from '#base/observe/request-observations.js';

/** Upper bounds in seconds, those that OpenTelemetry recommends for requests. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The metrics of a service, under the names of OpenTelemetry. No label has an id, a user or a path of a request. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #queues = new Map<string, () => { readonly running: number; readonly waiting: number }>();
  readonly consumer: Consumer;
  readonly #models: Gauge;
  readonly #queueGauges: Readonly<Record<'running' | 'waiting', Gauge>>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    addEventLoopDelay(this.#registry);
    this.#models = new Gauge({ name: 'mangrove_models', help: 'Models by their state', labelNames: ['state'], registers });
    const queueGauge = (what: 'running' | 'waiting') =>
      new Gauge({ name: `mangrove_queue_${what}`, help: `Work of a queue that is ${what}`, labelNames: ['queue'], registers });
    this.#queueGauges = { running: queueGauge('running'), waiting: queueGauge('waiting') };
    this.consumer = { ...consumerOf(registers), 'queue opened': ({ name, size }) => void this.#queues.set(name, size) };
  }

  /** Returns the present values in the text format 0.0.4. */
  print({ backend }: RunningService): Promise<string> {
    this.#models.reset();
    for (const { state } of backend.models.reports()) this.#models.inc({ state });
    for (const [queue, size] of this.#queues) {
      const { running, waiting } = size();
      this.#queueGauges.running.set({ queue }, running);
      this.#queueGauges.waiting.set({ queue }, waiting);
    }
    return this.#registry.metrics();
  }
}

/** Returns what counts observations. */
const consumerOf = (registers: Registry[]): Consumer => ({
  ...ofRequests(registers),
  ...ofCommands(registers),
  ...ofSearches(registers),
  ...ofJobs(registers),
});

function ofRequests(registers: Registry[]): Consumer {
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    ...{ buckets, registers },
  });
  const active = new Gauge({ name: 'http_server_active_requests', help: 'HTTP requests under way', registers });
  const refusals = new Counter({
    name: 'mangrove_budget_refusals_total',
    help: 'Requests that have exceeded a limit',
    labelNames: ['limit'],
    registers,
  });
  return {
    'request begun': () => {
      active.inc();
    },
    'request ended': ({ method, route, status, ms }) => {
      active.dec();
      const labels = {
        http_request_method: methodOf(method),
        http_route: route ?? '',
        http_response_status_code: String(status),
      };
      duration.observe(labels, ms / 1000);
    },
    'budget refused': ({ limit }) => {
      refusals.inc({ limit });
    },
  };
}

function ofCommands(registers: Registry[]): Consumer {
  const duration = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of commands to the database',
    labelNames: ['db_collection_name', 'db_operation_name'],
    ...{ buckets, registers },
  });
  const failures = new Counter({
    name: 'mangrove_db_errors_total',
    help: 'Commands to the database that have failed',
    labelNames: ['db_operation_name'],
    registers,
  });
  const lag = new Gauge({
    name: 'mangrove_changes_lag_seconds',
    help: 'How late the change stream has reported the last write',
    registers,
  });
  return {
    'command ended': ({ command, collection, ms, isFailed }) => {
      duration.observe({ db_collection_name: collection ?? '', db_operation_name: command }, ms / 1000);
      if (isFailed) failures.inc({ db_operation_name: command });
    },
    'changes heard': ({ ms }) => {
      lag.set(Math.max(ms, 0) / 1000);
    },
  };
}

function ofSearches(registers: Registry[]): Consumer {
  const searches = new Counter({
    name: 'mangrove_engine_searches_total',
    help: 'Searches for which a search engine is set; MongoDB has answered those that are not found',
    labelNames: ['engine', 'result'],
    registers,
  });
  return {
    'engine searched': ({ engine, result }) => {
      searches.inc({ engine, result });
    },
  };
}

/** The label is not `job`, which Prometheus sets itself. */
function ofJobs(registers: Registry[]): Consumer {
  const runs = new Counter({
    name: 'mangrove_jobs_total',
    help: 'Runs of background work',
    labelNames: ['job_name', 'result'],
    registers,
  });
  const duration = new Histogram({
    name: 'mangrove_jobs_duration_seconds',
    help: 'Duration of background work',
    labelNames: ['job_name'],
    ...{ buckets: [0.01, 0.1, 1, 10, 100], registers },
  });
  const deliveries = new Counter({
    name: 'mangrove_webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook',
    labelNames: ['result'],
    registers,
  });
  return {
    'webhook attempted': ({ result }) => {
      deliveries.inc({ result });
    },
    'job ended': ({ job, ms, err }) => {
      runs.inc({ job_name: job, result: err === null ? 'success' : 'failure' });
      duration.observe({ job_name: job }, ms / 1000);
    },
  };
}

/** Adds the delay of the event loop since the last time it was read. */
function addEventLoopDelay(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  new Gauge({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'Delay of the event loop since the metrics were read before',
    labelNames: ['statistic'],
    registers: [registry],
    collect() {
      const { min, max, mean } = delay;
      const values = { min, max, mean, p50: delay.percentile(50), p90: delay.percentile(90), p99: delay.percentile(99) };
      for (const [statistic, nanoseconds] of Object.entries(values)) this.set({ statistic }, toSeconds(nanoseconds));
      delay.reset();
    },
  });
}

/** Returns 0 if nothing was measured. */
const toSeconds = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
